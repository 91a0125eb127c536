import { type Database, statement } from '@app/service-kit/database';
import type { CutOff } from '../../runs/daily-step.ts';
import { type DueScope, mayBeginNow } from './due-subscriptions.ts';

/** How much of what is due in a currency may be charged: so many charges in any case, and up to so many cents. */
interface Allowance {
  readonly currency: string;
  readonly cents: number;
}

/** The charges that fit, the longest due first, and where they end. */
export interface OldestDue extends CutOff {
  readonly count: number;
  readonly cents: number;
}

const oldestStatement = statement<OldestDue>(
  'subscriptions-due-oldest',
  `with ranked as (
     select currency, next_charge_at, id, row_number() over due as count, sum(amount_cents) over due as cents
     from subscriptions
     where ${mayBeginNow(4)} and amount_cents > 0 and (not hard_declined or free_attempt) and next_charge_at > $5
       and currency = any ($6)
     window due as (partition by currency order by next_charge_at, id rows unbounded preceding)
   )
   select distinct on (r.currency) r.currency, r.next_charge_at, r.id, r.count::int as count, r.cents::bigint as cents
   from ranked as r join unnest($6::text[], $7::bigint[]) as allowed(currency, cents) on allowed.currency = r.currency
   where r.count <= $8 or r.cents <= allowed.cents
   order by r.currency, r.count desc`,
  { cents: 'int8', count: 'int4', currency: 'text', id: 'text', next_charge_at: 'timestamptz' },
);

/** @param waivedUntil what was due by then is charged beside them, and not counted @param anyway charges of each currency that always fit */
export async function readOldestDue(
  { pool }: Pick<Database, 'pool'>,
  { accountId, test, now, notCharged }: DueScope,
  { waivedUntil, allowances, anyway }: { waivedUntil: Date | null; allowances: readonly Allowance[]; anyway: number },
): Promise<OldestDue[]> {
  const currencies = allowances.map(({ currency }) => currency);
  const cents = allowances.map((allowance) => allowance.cents);
  const values = [accountId, test, now, [...(notCharged ?? [])], waivedUntil ?? '-infinity'];
  return (await pool.query(oldestStatement([...values, currencies, cents, anyway]))).rows;
}
