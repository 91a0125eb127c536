import type { ServiceName } from '@app/contracts/services';
import { query } from '@app/testing/sql';
import type { Entry, Payment } from './payment-rows.ts';
import { stripeEntries } from './stripe-books.ts';
import type { World } from './world.ts';

/*
 * The rows that are compared, read past the platform. Amounts are in minor units, as numbers.
 */

export interface Charge {
  readonly id: string;
  readonly account_id: string;
  readonly order_id: string;
  readonly step: Payment['step'];
  readonly amount_cents: number;
  readonly refunded_cents: number;
  /** What the bank kept after disputes that were lost. */
  readonly lost_cents: number;
  readonly reference: string;
}

export interface Hold {
  readonly order_id: string;
  readonly payment_id: string;
  readonly reference: string;
  readonly amount_cents: number;
  readonly captured_cents: number;
  readonly status: 'held' | 'settling' | 'settled' | 'lost';
  readonly lost_because: 'released' | 'expired' | null;
}

export interface Subscription {
  readonly id: string;
  readonly account_id: string;
  readonly order_id: string;
  readonly product_id: string;
  readonly amount_cents: number;
  readonly billing_interval: 'month' | 'year';
  readonly status: 'active' | 'past_due' | 'paused' | 'canceled';
  readonly period: number;
  /** Canceled for the end of its period. */
  readonly ends: boolean;
  readonly payment_method: string | null;
  readonly current_period_end: Date;
  readonly started_at: Date;
  readonly test: boolean;
}

export interface Renewal {
  readonly account_id: string;
  readonly subscription_id: string;
  readonly period: number;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly amount_cents: number;
  readonly status: 'processing' | 'paid' | 'failed';
  readonly payment_id: string | null;
  readonly paid_at: Date | null;
}

export interface Order {
  readonly id: string;
  readonly account_id: string;
  readonly product_id: string;
  readonly customer_email: string;
  readonly total_cents: number;
  /** What went back of the order itself. */
  readonly refunded_cents: number;
  /** The same, with what went back of renewals. */
  readonly given_back_cents: number;
  readonly status: 'paid' | 'refunded' | 'authorized' | 'expired';
  readonly affiliate_code: string | null;
  readonly discount_id: string | null;
  readonly source: 'api' | 'checkout';
  readonly test: boolean;
  readonly items: readonly { readonly kind: string }[];
  /** When it was paid; a recorded one when it was created. */
  readonly sold_at: Date;
}

/** An event as its service wrote it down in the transaction of what it reports. */
export interface WrittenEvent {
  readonly id: string;
  readonly subject: string;
  readonly accountId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Books {
  readonly entries: readonly Entry[];
  readonly payments: readonly Payment[];
  readonly charges: readonly Charge[];
  readonly holds: readonly Hold[];
  readonly subscriptions: readonly Subscription[];
  readonly renewals: readonly Renewal[];
  readonly orders: readonly Order[];
  readonly discountUses: readonly { readonly discount_id: string; readonly uses: number }[];
  /** Of all services: the outbox keeps them for an hour after they were published, which no run lasts. */
  readonly events: readonly WrittenEvent[];
}

const publishers: readonly ServiceName[] = ['gateway', 'catalog', 'checkout', 'billing', 'affiliate'];

interface Source {
  readonly cluster: Pick<World['cluster'], 'databaseUrl'>;
  readonly stripe: World['stripe'];
  readonly shops: World['shops'];
  /** The moved clock. */
  readonly later: Pick<World['later'], 'nowMs'>;
}

export async function readBooks({ cluster, later, stripe, shops }: Source): Promise<Books> {
  const of = (service: ServiceName) => cluster.databaseUrl(service);
  const now = new Date(later.nowMs());
  const read = <Row extends object>(service: ServiceName, sql: string, values: unknown[] = []): Promise<Row[]> =>
    query<Row>(of(service), sql, values);
  const cents = (column: string): string => `${column}::float8 as ${column}`;
  const simulated = await read<Entry>(
    'billing',
    `select payment_id, reference, kind, case when later_at <= $1 then later_status else status end as status,
       ${cents('amount_cents')}, currency, order_id, account_id, test, about, ${cents('taken_cents')},
       released_at is not null as released, recorded_at, saved_method, 0 as lost_cents, false as at_stripe
     from simulated_processor.entries order by seq`,
    [now],
  );
  const payments = await read<Payment>(
    'billing',
    `select id, account_id, order_id, step, charge_id, attempt_no, period, request ->> 'paymentMethod' as card, call,
       ${cents('amount_cents')}, currency, status, decline_reason as reason, processor_reference as reference,
       request ->> 'reference' as about, processor, test from payments order by id`,
  );
  return {
    entries: [...simulated, ...stripeEntries({ stripe, shops }, payments)],
    payments,
    charges: await read<Charge>(
      'billing',
      `select id, account_id, order_id, step, ${cents('amount_cents')}, ${cents('refunded_cents')}, ${cents('lost_cents')},
         reference from charges order by id`,
    ),
    holds: await read<Hold>(
      'billing',
      `select order_id, payment_id, reference, ${cents('amount_cents')}, ${cents('captured_cents')}, status, lost_because
       from holds order by order_id`,
    ),
    subscriptions: await read<Subscription>(
      'billing',
      `select id, account_id, order_id, product_id, ${cents('amount_cents')}, billing_interval, status, period,
         cancel_requested_by is not null as ends, payment_method, current_period_end, started_at, test from subscriptions order by id`,
    ),
    renewals: await read<Renewal>(
      'billing',
      `select account_id, subscription_id, period, starts_at, ends_at, ${cents('amount_cents')}, status, payment_id, paid_at
       from renewals order by subscription_id, period`,
    ),
    orders: await read<Order>(
      'checkout',
      `select id, account_id, product_id, customer_email, ${cents('total_cents')}, ${cents('refunded_cents')},
         ${cents('given_back_cents')}, status, affiliate_code, discount_id,
         source, test, items, coalesce(paid_at, created_at) as sold_at from orders order by id`,
    ),
    discountUses: await read('checkout', `select discount_id, ${cents('uses')} from discount_uses`),
    events: (await Promise.all(publishers.map((service) => readEvents(of(service))))).flat(),
  };
}

async function readEvents(url: string): Promise<WrittenEvent[]> {
  const rows = await query<{ payload: string; subject: string }>(
    url,
    'select subject, payload from outbox order by id',
  );
  return rows.map(({ subject, payload }) => ({ subject, ...(JSON.parse(payload) as Omit<WrittenEvent, 'subject'>) }));
}

/** One pair of books, line by line. */
export interface Comparison {
  readonly name: string;
  /** How many lines were compared. */
  lines: number;
  /** What does not agree, with both sides. */
  readonly differences: string[];
}

export interface Comparing extends Comparison {
  /** One line: both sides must be equal, as JSON. */
  equal(line: string, one: unknown, other: unknown): void;
  /** A line that must not be there, or lacks its counterpart. */
  wrong(line: string, evidence: unknown): void;
}

export function comparing(name: string): Comparing {
  const comparison: Comparing = {
    name,
    lines: 0,
    differences: [],
    equal: (line, one, other) => {
      comparison.lines += 1;
      const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
      if (left !== right) comparison.differences.push(`${line}: ${left} against ${right}`);
    },
    wrong: (line, evidence) => void comparison.differences.push(`${line}: ${JSON.stringify(evidence)}`),
  };
  return comparison;
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
export const centsOf = (rows: readonly { readonly amount_cents: number }[]): number =>
  sum(rows.map(({ amount_cents }) => amount_cents));
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
