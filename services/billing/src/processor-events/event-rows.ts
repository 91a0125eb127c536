import { dayMs, hourMs, minuteMs } from '@app/contracts/durations';
import { type Database, statement } from '@app/service-kit/database';
import { earliestPerAccount } from '@app/service-kit/fair-share-sql';
import { writeFacts } from '../ledger/write-facts.ts';
import type { EventContent } from './event-content.ts';

/** An event that was received, as its row. */
export interface ProcessorEvent {
  readonly account_id: string;
  readonly processor: string;
  readonly test: boolean;
  readonly event_id: string;
  /** As `refund.updated`. */
  readonly type: string;
  /** As Stripe names it in `object`. */
  readonly object_kind: string;
  readonly object_id: string;
  readonly payment_ids: string[];
  /** This one among them. */
  readonly attempts: number;
}

/**
 * How long after each attempt the next one follows, should it not have come to an end. What an event would have shown is found without
 * it as well, so there is an end.
 */
const delaysMs = [5_000, 30_000, 5 * minuteMs, hourMs, 6 * hourMs, dayMs];
/** Events of one claim. */
const claimedMax = 40;

/** $1–$4 whose webhooks, $5 now. The time of the last event is for people, and is written once in ten seconds at most. */
const lastEventStatement = statement(
  'processor-webhooks-last-event',
  `update processor_webhooks set last_event_at = $5
   where account_id = $1 and processor = $2 and test = $3 and at_processor = $4
     and (last_event_at is null or last_event_at < $5::timestamptz - interval '10 seconds')`,
);
const insertStatement = statement(
  'processor-events-insert',
  `insert into processor_events (account_id, processor, test, event_id, type, object_kind, object_id, payment_ids,
     received_at, next_attempt_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
   on conflict do nothing`,
);

export interface ReceivedFrom {
  readonly accountId: string;
  readonly processor: string;
  readonly test: boolean;
  readonly atProcessor: string;
}

/**
 * Stores an event, each once, and before it what it tells: where this process dies in between, Stripe sends the event again. Null for one that
 * nothing handles.
 */
export async function storeEvent(
  database: Database,
  { accountId, processor, test, atProcessor }: ReceivedFrom,
  event: EventContent | null,
  now: Date,
): Promise<void> {
  const { pool } = database;
  if (event !== null) {
    const { id, type, objectKind, objectId, paymentIds, fact } = event;
    if (fact) await writeFacts(database, { accountId, processor, test }, [fact], { by: 'webhook', at: now });
    await pool.query(insertStatement([accountId, processor, test, id, type, objectKind, objectId, paymentIds, now]));
  }
  await pool.query(lastEventStatement([accountId, processor, test, atProcessor, now]));
}

const keys = 'account_id, processor, test, event_id';
const delays = delaysMs.map((ms, attempts) => `when ${attempts} then $1::timestamptz + interval '1 ms' * ${ms}`);
const claimStatement = statement<ProcessorEvent>(
  'processor-events-claim',
  `update processor_events as e set attempts = e.attempts + 1, next_attempt_at = case e.attempts ${delays.join(' ')} end
   where (${keys}) in (
     select ${keys} from processor_events
     where (${keys}) in (${earliestPerAccount('processor_events', keys, 'next_attempt_at', 'next_attempt_at is not null and next_attempt_at <= $1')} limit ${claimedMax})
       and next_attempt_at <= $1 for update skip locked)
   returning e.account_id, e.processor, e.test, e.event_id, e.type, e.object_kind, e.object_id, e.payment_ids, e.attempts`,
  {
    account_id: 'text',
    event_id: 'text',
    object_id: 'text',
    object_kind: 'text',
    payment_ids: 'text[]',
    processor: 'text',
    test: 'bool',
    attempts: 'int4',
    type: 'text',
  },
);
const doneStatement = statement(
  'processor-events-done',
  `update processor_events set done_at = $5, next_attempt_at = null
   where account_id = $1 and processor = $2 and test = $3 and event_id = $4`,
);

/** Events that are due; no other replica gets them before their next attempt. */
export const claimEvents = async ({ pool }: Database, now: Date): Promise<ProcessorEvent[]> =>
  (await pool.query(claimStatement([now]))).rows;

export async function endEvent({ pool }: Database, event: ProcessorEvent, now: Date): Promise<void> {
  const { account_id, processor, test, event_id } = event;
  await pool.query(doneStatement([account_id, processor, test, event_id, now]));
}

/** Whether the event is not handled again, unless this attempt ends it. */
export const isLastAttempt = ({ attempts }: ProcessorEvent): boolean => attempts > delaysMs.length;
