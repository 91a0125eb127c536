import { type Database, statement } from '@app/service-kit/database';
import { byNoIndex, withOne } from '@app/service-kit/planner';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import { type Fact, type FactKind, factKindOf, isOfOurs } from './facts.rules.ts';

/** Whose facts at which processor; live money and rehearsals are worlds of their own. */
export interface FactsOf {
  readonly accountId: string;
  readonly processor: string;
  readonly test: boolean;
}

/** What told a fact, and when; of a list when its reading began. */
export interface Seen {
  readonly by: 'answer' | 'look-up' | 'webhook' | 'list';
  readonly at: Date;
}

/** What a row says of the fact. */
export const factTypes = {
  reference: 'text',
  kind: 'text',
  amount_cents: 'int8',
  currency: 'text',
  happened_at: 'timestamptz',
  payment_id: 'text',
  order_id: 'text',
  about: 'text',
  message: 'text',
} as const;
const writtenTypes = { ...factTypes, ours: 'bool' } as const;
const factColumns = namesOf(factTypes);

/**
 * Of what is ours alone, and each by its own key: where the planner takes the account for small, it would read all payments of it for each
 * fact, or once for each event.
 */
const ownById = `select p.id from payments as p
  where f.ours and not $3 and p.id = f.payment_id and ${byNoIndex('p.account_id = $1')} and p.processor = $2 and p.test = $3`;
const ownByOrder = `select p.id from payments as p
  where f.ours and not $3 and by_id.id is null and p.account_id = $1 and p.order_id = f.order_id and p.processor = $2 and p.test = $3
    and p.status = 'succeeded' and p.processor_reference = f.reference`;

/** $1–$3 whose, $4 the facts, $5 what told them, $6 when. */
const writeStatement = statement(
  'facts-write',
  `insert into processor_facts (account_id, processor, test, ${factColumns}, seen_by, seen_at, lacked)
   select $1, $2, $3, ${factColumns}, $5, $6, ours and not $3 and by_id.id is null and by_order.id is null
   from json_to_recordset($4::json) as f(${recordOf(writtenTypes)})
   ${withOne(ownById, 'by_id')}
   ${withOne(ownByOrder, 'by_order')}
   on conflict do nothing`,
);

/** Keeps what was seen of a processor, each once: whatever becomes of the payments that asked for it. */
export async function writeFacts(
  { pool }: Pick<Database, 'pool'>,
  { accountId, processor, test }: FactsOf,
  facts: readonly Fact[],
  { by, at }: Seen,
): Promise<void> {
  const rows = facts.map(rowOf);
  if (rows.length > 0) await pool.query(writeStatement([accountId, processor, test, JSON.stringify(rows), by, at]));
}

const rowOf = (fact: Fact): Record<keyof typeof writtenTypes, unknown> & { readonly kind: FactKind | null } => ({
  reference: fact.reference,
  kind: factKindOf(fact),
  amount_cents: fact.amountCents,
  currency: fact.currency,
  happened_at: fact.recordedAt,
  payment_id: fact.paymentId,
  order_id: fact.orderId,
  about: fact.about,
  message: fact.message,
  ours: isOfOurs(fact),
});

const factsKept = `account_id, processor, test, ${factColumns}`;

/** $1–$3 whose, $4 the reading, $5 and $6 the fact, $7 when it was tried */
const unfollowedStatement = statement(
  'facts-write-unfollowed',
  `insert into processor_facts (${factsKept}, seen_by, seen_at)
   select ${factsKept}, 'unfollowed', $7 from processor_facts
   where account_id = $1 and processor = $2 and test = $3 and seen_by = 'list' and seen_at = $4 and reference = $5 and kind = $6
   on conflict do nothing`,
);

/** Keeps a fact that a reading showed and that could not be followed, for the next ones. @param readAt when that reading began */
export async function keepUnfollowed(
  { pool }: Pick<Database, 'pool'>,
  { accountId, processor, test }: FactsOf,
  { reference, ...fact }: Fact,
  { readAt, now }: { readonly readAt: Date; readonly now: Date },
): Promise<void> {
  await pool.query(unfollowedStatement([accountId, processor, test, readAt, reference, factKindOf(fact), now]));
}
