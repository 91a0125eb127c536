import { reasonSql } from '../deliveries/end-reasons.rules.ts';
import { insertFinished, keptColumns } from '../deliveries/finish-deliveries.ts';
import { priorities } from '../deliveries/priority.rules.ts';
import { isTestSend } from '../deliveries/test-send.rules.ts';

/** An endpoint's filter may have changed since its deliveries were held; without one (null) it takes everything. */
const isTaken = (of: string, filter: string): string =>
  `(${filter}::text[] is null or ${of}.event_name = any (${filter}))`;

/** A redelivery of what had ended: it was requested whatever the filter, and held before it arrived (redeliver.ts). */
const isRedelivered = (of: string): string => `(${of}.priority = ${priorities.resent} and ${of}.recovery_id is null)`;

/**
 * Whether the release of what is held skips a delivery of `deliveries`: it is a test send, or the endpoint's filter
 * does not take its event any more and no request is for it all the same.
 * @param of the name that the statement gives to the delivery
 * @param filter names of the events that the endpoint takes now
 */
export const isSkipped = (of: string, filter: string): string =>
  `(${isTestSend(of)} or not ${isTaken(of, filter)} and not ${isRedelivered(of)})`;

/** What a statement that deletes from `deliveries d` what is skipped returns, so that `insertSkipped` can insert it. */
export const skippedColumns = `${keptColumns}, ${isTestSend('d')} as is_test_send`;

/**
 * The part of a statement that stores what is skipped as finished. Test sends are canceled: their seller has long stopped
 * waiting for them, and no reader shall take one for an order that was late.
 */
export const insertSkipped = (from: string, at: string): string =>
  insertFinished(from, {
    status: `case when is_test_send then 'canceled' else 'filtered' end`,
    reason: `case when is_test_send then ${reasonSql('test_send')} else ${reasonSql('filtered')} end`,
    at,
  });
