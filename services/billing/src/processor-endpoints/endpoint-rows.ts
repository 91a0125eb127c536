import { dayMs, hourMs } from '@app/contracts/durations';
import { type Database, statement } from '@app/service-kit/database';
import { rotationMs } from '../processors/settings/webhook-secrets.ts';
import { nextDelayMs } from './endpoint.rules.ts';

/** A row whose endpoint is compared with Stripe, and the key for that. */
export interface EndpointRow {
  readonly account_id: string;
  readonly processor: string;
  readonly test: boolean;
  readonly at_processor: string;
  readonly status: string;
  readonly endpoint_id: string | null;
  readonly url: string | null;
  readonly holds_secret: boolean;
  /** This one among them. */
  readonly attempts: number;
  readonly secret_key: Buffer;
  /** New payments use the key. */
  readonly current: boolean;
}

/** Rows of one claim; each may take a deadline of a processor's call. */
const claimedMax = 4;
/** A replica has given up by then: a processor's call takes a minute at most. */
const leaseMs = 2 * 60_000;

const keys = 'account_id, processor, test, at_processor';
const ofRow = 'account_id = $1 and processor = $2 and test = $3 and at_processor = $4';

const claimStatement = statement<EndpointRow>(
  'processor-endpoints-claim',
  `update processor_webhooks as w set attempts = w.attempts + 1, claimed_until = $2, next_attempt_at = $2
   from processor_keys as k
   where (w.account_id, w.processor, w.test, w.at_processor) in (
       select ${keys} from processor_webhooks where next_attempt_at <= $1
       order by next_attempt_at limit ${claimedMax} for update skip locked)
     and (k.account_id, k.processor, k.test, k.at_processor) = (w.account_id, w.processor, w.test, w.at_processor)
   returning w.account_id, w.processor, w.test, w.at_processor, w.status, w.endpoint_id, w.url,
     w.secret is not null as holds_secret, w.attempts, k.secret_key, k.current`,
  {
    account_id: 'text',
    at_processor: 'text',
    attempts: 'int4',
    current: 'bool',
    endpoint_id: 'text',
    holds_secret: 'bool',
    processor: 'text',
    secret_key: 'bytea',
    status: 'text',
    test: 'bool',
    url: 'text',
  },
);

/** Rows that are due. No other replica gets them while one may be at work; the row of one that dies is due again afterwards. */
export const claimEndpoints = async ({ pool }: Database, now: Date): Promise<EndpointRow[]> =>
  (await pool.query(claimStatement([now, new Date(now.getTime() + leaseMs)]))).rows;

/** Keys that were stored meanwhile have set `attempts` to 0, and want another comparison at once. */
const released = (next: string): string =>
  `claimed_until = null, next_attempt_at = case when attempts = $5 then ${next} else $6::timestamptz end`;
const valuesOf = ({ account_id, processor, test, at_processor, attempts }: EndpointRow, now: Date) =>
  [account_id, processor, test, at_processor, attempts, now] as const;

// `by_hand` is a guard in each statement that follows, and repeats `isWanted`: the seller may store a secret while Stripe is called.
const presentStatement = statement(
  'processor-endpoints-present',
  `update processor_webhooks set endpoint_id = $8, url = $9, shape = $10, attempts = 0,
     status = case when status = 'by_hand' then status else 'active' end,
     secret = case when status = 'by_hand' or $11::bytea is null then secret else $11 end,
     earlier_secret = case when status = 'by_hand' or $11::bytea is null or secret is null then earlier_secret else secret end,
     earlier_until = case when status = 'by_hand' or $11::bytea is null or secret is null then earlier_until else $12::timestamptz end,
     ${released('$7::timestamptz')}
   where ${ofRow}`,
);

/** A creation whose answer got lost may have been late, and come after a later attempt: that is checked soon. */
const afterRetryMs = hourMs;
/** A database that was restored from a backup may hold an earlier secret, and a seller may delete the endpoint at Stripe. */
const compareAgainMs = dayMs;

/** The endpoint is at Stripe as it is wanted. @param sealed the secret of one that was made now; null for one that stays */
export async function storePresent(
  { pool }: Database,
  row: EndpointRow,
  { id, url, shape, sealed, now }: { id: string; url: string; shape: string; sealed: Buffer | null; now: Date },
): Promise<void> {
  const again = new Date(now.getTime() + (row.attempts > 1 ? afterRetryMs : compareAgainMs));
  const earlierUntil = new Date(Date.now() + rotationMs);
  await pool.query(presentStatement([...valuesOf(row, now), again, id, url, shape, sealed, earlierUntil]));
}

const absentStatement = statement(
  'processor-endpoints-absent',
  `update processor_webhooks set endpoint_id = null, url = null, shape = null,
     status = case when status = 'by_hand' then status else 'pending' end,
     secret = case when status = 'by_hand' then secret end,
     earlier_secret = case when status = 'by_hand' then earlier_secret else secret end,
     earlier_until = case when status = 'by_hand' then earlier_until else $7::timestamptz end,
     ${released('null')}
   where ${ofRow}`,
);

/** None of ours is at Stripe any more. Events that it sent before count for a day. */
export async function storeAbsent({ pool }: Database, row: EndpointRow, now: Date): Promise<void> {
  await pool.query(absentStatement([...valuesOf(row, now), new Date(Date.now() + rotationMs)]));
}

const refusedStatement = statement(
  'processor-endpoints-refused',
  `update processor_webhooks set
     status = case when status = 'by_hand' or secret is not null and url = $8 and shape = $9 then status else $7 end,
     url = case when endpoint_id is null then $8 else url end, shape = case when endpoint_id is null then $9 else shape end,
     ${released('null')}
   where ${ofRow}`,
);

export type Refusal = 'not_permitted' | 'no_public_url' | 'refused';

/**
 * It cannot be made, and is not tried again before keys are stored again, or address or types of events change.
 * @param why null where it was to be deleted: it is left
 */
export async function storeRefused(
  { pool }: Database,
  row: EndpointRow,
  { why, url, shape, now }: { why: Refusal | null; url: string | null; shape: string; now: Date },
): Promise<void> {
  await pool.query(refusedStatement([...valuesOf(row, now), why ?? row.status, url, shape]));
}

const failedStatement = statement(
  'processor-endpoints-failed',
  `update processor_webhooks set ${released('$7::timestamptz')} where ${ofRow}`,
);

/** Stripe was not reached, or did not answer: another attempt follows. */
export async function storeFailed({ pool }: Database, row: EndpointRow, now: Date): Promise<void> {
  const next = new Date(now.getTime() + nextDelayMs(row.attempts));
  await pool.query(failedStatement([...valuesOf(row, now), next]));
}

const changedStatement = statement(
  'processor-endpoints-changed',
  `update processor_webhooks as w set attempts = 0, next_attempt_at = greatest($1, w.claimed_until)
   from processor_keys as k
   where (k.account_id, k.processor, k.test, k.at_processor) = (w.account_id, w.processor, w.test, w.at_processor)
     and k.current and w.status in ('active', 'no_public_url', 'refused')
     and (w.url is distinct from $2 || w.account_id or w.shape is distinct from $3)`,
);

/** Endpoints of another address, or of other events, are due. @param prefix of addresses, before the account's id */
export async function expectChanged({ pool }: Database, prefix: string, shape: string, now: Date): Promise<void> {
  await pool.query(changedStatement([now, prefix, shape]));
}
