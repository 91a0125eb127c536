import { type Database, statement } from '@app/service-kit/database';
import { byNoIndex, withOne } from '@app/service-kit/planner';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';
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
const ownById = `select p.id, p.status = 'succeeded' and p.processor_reference = f.reference and p.amount_cents = f.amount_cents
    and p.currency = f.currency and (case p.call when 'chargeSaved' then 'charge' else p.call end) = f.kind as explains
  from payments as p
  where f.ours and not $3 and p.id = f.payment_id and ${byNoIndex('p.account_id = $1')} and p.processor = $2 and p.test = $3`;
const ownByOrder = `select p.id from payments as p
  where f.ours and not $3 and by_id.id is null and p.account_id = $1 and p.order_id = f.order_id and p.processor = $2 and p.test = $3
    and p.status = 'succeeded' and p.processor_reference = f.reference`;

/**
 * $1–$3 whose, $4 what told them, $5 when, $6 whether charges and refunds that their payments explain are left out. Captures are
 * not: what is recorded of their holds is explained by them. From $7 on the facts.
 */
const writeStatement = statement(
  'facts-write',
  `insert into processor_facts (account_id, processor, test, ${factColumns}, seen_by, seen_at, lacked)
   select $1, $2, $3, ${factColumns}, $4, $5, ours and not $3 and by_id.id is null and by_order.id is null
   from (select * from ${tableOf(writtenTypes, 7)}) as f
   ${withOne(ownById, 'by_id')}
   ${withOne(ownByOrder, 'by_order')}
   where not ($6 and f.kind in ('charge', 'refund') and coalesce(by_id.explains, false))
   on conflict do nothing`,
);

/**
 * Keeps what was seen of a processor, each once: whatever becomes of the payments that asked for it.
 * @param keepsExplained false where only what nothing here explains is asked for: nearly all that a list shows is the money of payments
 *   that succeeded
 */
export async function writeFacts(
  { pool }: Pick<Database, 'pool'>,
  { accountId, processor, test }: FactsOf,
  facts: readonly Fact[],
  { by, at }: Seen,
  keepsExplained = true,
): Promise<void> {
  const rows = facts.map((fact) => ({ ...factRowOf(fact), ours: isOfOurs(fact) }));
  if (rows.length === 0) return;
  const values = [accountId, processor, test, by, at, !keepsExplained];
  await pool.query(writeStatement([...values, ...columnsOf(rows, writtenTypes)]));
}

/** A fact as statements get it to write it. */
export const factRowOf = (
  fact: Fact,
): Record<keyof typeof factTypes, unknown> & { readonly kind: FactKind | null } => ({
  reference: fact.reference,
  kind: factKindOf(fact),
  amount_cents: fact.amountCents,
  currency: fact.currency,
  happened_at: fact.recordedAt,
  payment_id: fact.paymentId,
  order_id: fact.orderId,
  about: fact.about,
  message: fact.message,
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
