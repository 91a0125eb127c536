import { newIdSuffix } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { endpointCompared } from '../points/points.ts';
import { eventTypes } from '../processor-events/handlings.ts';
import type { OngoingCalls } from '../processors/ongoing-calls.ts';
import { NothingDoneError, type ProcessorCall } from '../processors/port.ts';
import { keyPurpose, type ProcessorSecrets } from '../processors/processor-secrets.ts';
import { sealWebhookSecret } from '../processors/settings/webhook-secrets.ts';
import { apiVersion, type StripeEndpoints } from '../processors/stripe/stripe-endpoints.ts';
import { StripeAnswerError } from '../processors/stripe/stripe-errors.ts';
import { isWanted, planEndpoints } from './endpoint.rules.ts';
import {
  claimEndpoints,
  type EndpointRow,
  type Refusal,
  storeAbsent,
  storeFailed,
  storePresent,
  storeRefused,
} from './endpoint-rows.ts';

export interface EndpointDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secrets: ProcessorSecrets;
  readonly endpoints: StripeEndpoints;
  readonly processorCalls: Pick<OngoingCalls, 'isHeld' | 'make'>;
  /** A test has moved this deployment's clock: nothing is changed with live keys. */
  readonly isClockMoved: () => boolean;
  /** Where Stripe reaches this deployment, without a slash at the end; null where it does not. */
  readonly reachableBase: string | null;
}

/** The address of an account's events, before its id. */
export const addressPrefix = (base: string): string => `${base}/api/processors/stripe/`;

/** Of the events that endpoints get: with another version or another type all endpoints are changed. */
export const endpointShape = [apiVersion, ...eventTypes].join(' ');

/** Compares the endpoints that are due with what Stripe has. @returns how many. @throws Error when the database does not answer */
export async function compareDue(deps: EndpointDeps): Promise<number> {
  const rows = await claimEndpoints(deps.database, deps.clock.now());
  await Promise.all(rows.map((row) => compareOne(deps, row)));
  return rows.length;
}

async function compareOne(deps: EndpointDeps, row: EndpointRow): Promise<void> {
  const { database, clock, logger } = deps;
  const { account_id: accountId, test } = row;
  try {
    await compare(deps, row);
  } catch (err) {
    const why = refusalOf(err);
    const fields = { err, accountId, test, atStripe: row.at_processor };
    if (why === undefined) {
      logger.warn(fields, 'a webhook endpoint could not be compared with Stripe; retrying');
      await storeFailed(database, row, clock.now());
    } else {
      logger.warn(fields, 'Stripe does not let this key change webhook endpoints');
      await refuse(deps, row, why);
    }
  }
  endpointCompared.announce(() => ({ accountId, test }));
}

async function refuse({ database, clock, reachableBase }: EndpointDeps, row: EndpointRow, why: Refusal): Promise<void> {
  const url = reachableBase === null ? null : addressPrefix(reachableBase) + row.account_id;
  const refusal = isWanted(row) ? why : null;
  await storeRefused(database, row, { why: refusal, url, shape: endpointShape, now: clock.now() });
}

/**
 * Lets Stripe have what is wanted. The arrows, and what a process leaves that dies after one:
 * claimed → the row is due again when its lease has run out, and nothing else has happened;
 * listed → the same;
 * deleted → the next list lacks it;
 * made → the next list has it, with an id that the row does not have: its secret is lost, so it is deleted and another one made;
 * changed → the next list has it as it is wanted;
 * stored → the row is not due any more.
 */
async function compare(deps: EndpointDeps, row: EndpointRow): Promise<void> {
  const { database, clock, endpoints, reachableBase } = deps;
  // A copy of the database on a developer's machine leaves the endpoints of the original alone.
  if (reachableBase === null) return await refuse(deps, row, 'no_public_url');
  const url = addressPrefix(reachableBase) + row.account_id;
  await withKey(deps, row, async (call) => {
    const wanted = { url, events: eventTypes, apiVersion };
    const isByHand = row.status === 'by_hand';
    const known = { endpointId: row.endpoint_id, url: row.url, holdsSecret: row.holds_secret, isByHand };
    const listed = await endpoints.list(call);
    const { deleted, kept } = planEndpoints(isWanted(row) ? wanted : null, url, listed, known);
    for (const id of deleted) await endpoints.delete(call, id);
    if (!isWanted(row)) return await storeAbsent(database, row, clock.now());
    const stored = { url, shape: endpointShape };
    if (kept !== null) {
      if (!kept.isRight) await endpoints.update(call, kept.id, wanted);
      return await storePresent(database, row, { ...stored, id: kept.id, sealed: null, now: clock.now() });
    }
    const { id, secret } = await endpoints.create(call, `endpoint ${newIdSuffix(Date.now())}`, wanted);
    await storePresent(database, row, { ...stored, id, sealed: sealed(deps, row, secret), now: clock.now() });
  });
}

function sealed({ secrets }: EndpointDeps, row: EndpointRow, secret: string): Buffer {
  const { account_id: accountId, processor, test, at_processor: atProcessor } = row;
  return sealWebhookSecret(secrets, { accountId, processor, test, atProcessor }, secret);
}

/** Calls Stripe in the background with the key of a row. @throws Error for live keys while the clock is moved */
export async function withKey(
  { secrets, processorCalls, isClockMoved }: Pick<EndpointDeps, 'secrets' | 'processorCalls' | 'isClockMoved'>,
  {
    account_id: accountId,
    processor,
    test,
    at_processor,
    secret_key,
  }: Pick<EndpointRow, 'account_id' | 'processor' | 'test' | 'at_processor' | 'secret_key'>,
  work: (call: ProcessorCall) => Promise<void>,
): Promise<void> {
  if (!test && isClockMoved()) throw new Error('the clock of this deployment is moved');
  const secretKey = secrets.open(secret_key, accountId, keyPurpose(processor, test, at_processor));
  await processorCalls.make((signal, untimed) =>
    work({ accountId, secretKey, test, signal, untimed, isBackground: true }),
  );
}

/** Undefined where another attempt may succeed. */
function refusalOf(err: unknown): Refusal | undefined {
  if (err instanceof NothingDoneError) {
    return err.why === 'key_refused' || err.why === 'not_permitted' ? 'not_permitted' : undefined;
  }
  if (!(err instanceof StripeAnswerError) || err.status === undefined) return undefined;
  // It was deleted meanwhile, or another request holds it: the next list shows how it is then.
  if (err.code === 'resource_missing' || err.status === 409) return undefined;
  return err.status >= 400 && err.status < 500 ? 'refused' : undefined;
}
