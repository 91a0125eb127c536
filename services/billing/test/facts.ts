import type { Database } from '@app/service-kit/database';

interface KeptFact {
  readonly processor: string;
  readonly test: boolean;
  readonly reference: string;
  readonly kind: string;
  readonly amount_cents: number;
  readonly payment_id: string | null;
  readonly order_id: string | null;
  readonly about: string | null;
  readonly seen_by: string;
  readonly lacked: boolean;
}

/** The ledger of an account, in the order in which it was seen. */
export async function factsOf({ pool }: Pick<Database, 'pool'>, accountId: string): Promise<KeptFact[]> {
  const { rows } = await pool.query<KeptFact>(
    `select processor, test, reference, kind, amount_cents::int as amount_cents, payment_id, order_id, about, seen_by, lacked
     from processor_facts where account_id = $1 order by position`,
    [accountId],
  );
  return rows;
}
