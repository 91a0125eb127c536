import type { StripeKeys } from '@app/contracts/payment-processors';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { nextDelayMs } from '../processor-endpoints/endpoint.rules.ts';

/** A row whose domains are compared with Stripe, and the key for that. */
export interface DomainsRow {
  readonly account_id: string;
  readonly processor: string;
  readonly test: boolean;
  readonly at_processor: string;
  /** This one among them. */
  readonly attempts: number;
  readonly secret_key: Buffer;
}

export type Wallets = NonNullable<StripeKeys['wallets']>;

/** Rows of one claim; each may take a deadline of a processor's call. */
const claimedMax = 4;
/** A replica has given up by then: a processor's call takes a minute at most. */
const leaseMs = 2 * 60_000;

const keys = 'account_id, processor, test, at_processor';

// Keys that new payments do not use any more are left as they are.
const claimStatement = statement<DomainsRow>(
  'processor-domains-claim',
  `update processor_domains as d set attempts = d.attempts + 1, claimed_until = $2, next_attempt_at = $2
   from processor_keys as k
   where (d.account_id, d.processor, d.test, d.at_processor) in (
       select ${keys} from processor_domains where next_attempt_at <= $1
       order by next_attempt_at limit ${claimedMax} for update skip locked)
     and (k.account_id, k.processor, k.test, k.at_processor) = (d.account_id, d.processor, d.test, d.at_processor)
   returning d.account_id, d.processor, d.test, d.at_processor, d.attempts, k.secret_key`,
  { account_id: 'text', at_processor: 'text', attempts: 'int4', processor: 'text', secret_key: 'bytea', test: 'bool' },
);

/** Rows that are due. No other replica gets them while one may be at work; the row of one that dies is due again afterwards. */
export const claimDomains = async ({ pool }: Database, now: Date): Promise<DomainsRow[]> =>
  (await pool.query(claimStatement([now, new Date(now.getTime() + leaseMs)]))).rows;

const valuesOf = ({ account_id, processor, test, at_processor, attempts }: DomainsRow) =>
  [account_id, processor, test, at_processor, attempts] as const;
/** What was stored meanwhile has set `attempts` to 0, and wants another comparison at once. */
const released = `claimed_until = null,
  next_attempt_at = case when attempts = $5 then $6::timestamptz else 'epoch'::timestamptz end`;
const ofRow = 'account_id = $1 and processor = $2 and test = $3 and at_processor = $4';

const comparedStatement = statement(
  'processor-domains-compared',
  `update processor_domains set status = $7, domains = $8, base = $9, checkout_url = $10, ${released},
     attempts = case when attempts = $5 then 0 else attempts end
   where ${ofRow}`,
);

export interface Compared extends Wallets {
  /** What it was compared for. */
  readonly base: string | null;
  readonly checkoutUrl: string | null;
  /** Null: not before keys are stored, or an address changes. */
  readonly again: Date | null;
}

export async function storeCompared({ pool }: Database, row: DomainsRow, compared: Compared): Promise<void> {
  const { status, domains, base, checkoutUrl, again } = compared;
  const values = [again, status, JSON.stringify(domains), base, checkoutUrl] as const;
  await pool.query(comparedStatement([...valuesOf(row), ...values]));
}

const failedStatement = statement(
  'processor-domains-failed',
  `update processor_domains set ${released} where ${ofRow}`,
);

/** Stripe was not reached, or did not answer: another attempt follows. */
export async function storeFailed({ pool }: Database, row: DomainsRow, now: Date): Promise<void> {
  await pool.query(failedStatement([...valuesOf(row), new Date(now.getTime() + nextDelayMs(row.attempts))]));
}

const currentAlone = `(d.account_id, d.processor, d.test, d.at_processor) in (
  select ${keys} from processor_keys where current)`;

const movedStatement = statement(
  'processor-domains-moved',
  `update processor_domains as d set attempts = 0, next_attempt_at = greatest($2, d.claimed_until)
   where d.base is distinct from $1 and d.status <> 'not_permitted' and ${currentAlone}`,
);

/** Domains that were registered for another address of this deployment are due. */
export async function expectMoved({ pool }: Database, base: string, now: Date): Promise<void> {
  await pool.query(movedStatement([base, now]));
}

const otherPageStatement = statement(
  'processor-domains-other-page',
  `update processor_domains as d set attempts = 0, next_attempt_at = greatest('epoch', d.claimed_until)
   from account_settings as s
   where d.account_id = any($1::text[]) and s.account_id = d.account_id and d.status <> 'not_permitted'
     and s.settings ->> 'checkoutUrl' is distinct from d.checkout_url and ${currentAlone}`,
);

/** Of these accounts, those are due whose own page has another address than it was registered for. */
export async function expectOtherPages(client: Client, accountIds: readonly string[]): Promise<void> {
  await client.query(otherPageStatement([accountIds]));
}
