/** What the simulated processor's books say of one order, in minor units. */
export interface OrderBooks {
  readonly orderId: string;
  readonly currency: string;
  readonly test: boolean;
  /** Held, and neither captured nor released nor expired. */
  readonly heldCents: number;
  /** Charged at once or captured. */
  readonly chargedCents: number;
  readonly capturedCents: number;
  /** Taken and not failed. */
  readonly refundedCents: number;
  /** Payments that wait for the buyer. */
  readonly waiting: number;
}

/** One entry of the books: an idempotency key that arrived, and how it stands. */
export interface BookEntry {
  readonly paymentId: string;
  readonly orderId: string;
  readonly kind: 'hold' | 'charge' | 'method' | 'capture' | 'refund' | 'release';
  readonly status: 'succeeded' | 'declined' | 'requires_action' | 'failed';
  readonly reason: string | null;
  readonly reference: string;
  /** The reference of the hold, charge or saved card that it is for. */
  readonly about: string | null;
  readonly amountCents: number;
  readonly currency: string;
  readonly test: boolean;
  /** How often the key arrived. */
  readonly sendings: number;
}

/** Runs a statement on billing's database. */
export type RunQuery = <Row extends object>(sql: string, values: unknown[]) => Promise<Row[]>;

const openEntries = `
  select *, case when later_at <= $2::timestamptz then later_status else status end as status_now,
    case when later_at <= $2::timestamptz then later_reason else reason end as reason_now
  from simulated_processor.entries where account_id = $1`;

const success = (kinds: string): string => `kind in (${kinds}) and status_now = 'succeeded'`;
// numeric would come as text.
const sumOf = (condition: string): string =>
  `coalesce(sum(amount_cents) filter (where ${condition}), 0)::double precision`;

/**
 * The account's orders as the simulated processor has them, by order id. To compare with what the platform recorded: the
 * platform itself never reads them.
 * @param now of the clock that the processor runs by
 */
export async function readOrderBooks(run: RunQuery, accountId: string, now: Date): Promise<OrderBooks[]> {
  const open = `${success(`'hold'`)} and taken_cents = 0 and released_at is null and capture_before > $2`;
  return await run(
    `select order_id as "orderId", currency, test,
       ${sumOf(open)} as "heldCents",
       ${sumOf(success(`'charge', 'capture'`))} as "chargedCents",
       ${sumOf(success(`'capture'`))} as "capturedCents",
       ${sumOf(success(`'refund'`))} as "refundedCents",
       (count(*) filter (where status_now = 'requires_action'))::integer as waiting
     from (${openEntries}) as entry group by order_id, currency, test order by order_id, currency, test`,
    [accountId, now],
  );
}

/** Every key that arrived from the account, in the order of their first arrival. @param now as above */
export async function readBookEntries(run: RunQuery, accountId: string, now: Date): Promise<BookEntry[]> {
  return await run(
    `select payment_id as "paymentId", order_id as "orderId", kind, status_now as status, reason_now as reason, reference,
       about, amount_cents::double precision as "amountCents", currency, test, sendings
     from (${openEntries}) as entry order by seq`,
    [accountId, now],
  );
}
