import { invalidField } from '@app/contracts/validation';
import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import type { FactKind } from '../facts/fact.rules.ts';
import { daySumTypes, marksOfFact, summedColumns, totalsOf } from '../rollups/rollup-columns.ts';
import type { DaySums, ProductTotals } from '../rollups/rollups.types.ts';
import type { CountedFact, Formula, Parts } from './formulas.rules.ts';

/** The product's facts from a time on and before another; null is no bound. */
export interface FactRange {
  readonly accountId: string;
  readonly productId: string;
  readonly from: Date | null;
  readonly until: Date | null;
  /** The beginning of the month that is explained. */
  readonly month: Date | null;
}

export interface ExplainedFact extends CountedFact {
  readonly event_id: string;
  readonly fact_key: string;
  readonly occurred_at: Date;
  readonly currency: string | null;
}

/** Whether no order of the same buyer and product was paid before the fact `f`. */
const isFirstPurchase = `f.kind = 'order_paid' and not exists (
  select from facts as earlier where earlier.email_key = f.email_key and earlier.product_id = f.product_id
    and earlier.account_id = f.account_id and earlier.kind = 'order_paid' and not earlier.test
    and (earlier.occurred_at, earlier.seq) < (f.occurred_at, f.seq))`;

const inRange = `f.account_id = $1 and f.product_id = $2 and not f.test
  and f.occurred_at >= coalesce($3::timestamptz, '-infinity') and f.occurred_at < coalesce($4::timestamptz, 'infinity')`;

/** A row comparison with parameters, so that the index is entered after the last fact. */
const afterLast = `and (f.occurred_at, f.seq) > (
  (select occurred_at from facts where account_id = $1 and event_id = $7),
  (select seq from facts where account_id = $1 and event_id = $7))`;

const portionText = (after: string, firstPurchase: string): string =>
  `select f.event_id, f.fact_key, f.kind, f.occurred_at, f.currency, f.amount_cents, f.mrr_cents,
     active_delta::integer as active_delta, ${marksOfFact} as marks,
     ${firstPurchase} as first_purchase
   from facts as f where ${inRange} and f.kind = $5 ${after}
   order by f.occurred_at, f.seq limit $6`;

type FactRow = Omit<ExplainedFact, 'before_month'>;
const explainedTypes: ColumnsOf<FactRow> = {
  event_id: 'text',
  fact_key: 'text',
  kind: 'text',
  occurred_at: 'timestamptz',
  currency: 'text',
  amount_cents: 'int8',
  mrr_cents: 'int8',
  active_delta: 'int4',
  marks: 'text[]',
  first_purchase: 'bool',
};
const portions = {
  first: statement<FactRow>('facts-explained', portionText('', 'false'), explainedTypes),
  next: statement<FactRow>('facts-explained-after', portionText(afterLast, 'false'), explainedTypes),
  firstOfBuyers: statement<FactRow>('facts-explained-buyers', portionText('', isFirstPurchase), explainedTypes),
  nextOfBuyers: statement<FactRow>(
    'facts-explained-buyers-after',
    portionText(afterLast, isFirstPurchase),
    explainedTypes,
  ),
};

const kindOfFact = statement<{ kind: FactKind }>(
  'facts-kind',
  'select kind from facts where account_id = $1 and product_id = $2 and event_id = $3 and not test',
  { kind: 'text' },
);

/** Buyers are counted apart. */
const totalsInRange = statement<DaySums>(
  'facts-totals',
  `${totalsOf(`select ${summedColumns}
     from facts as f where ${inRange} and kind = any($5)`)}`,
  daySumTypes,
);

const buyersInRange = statement<{ customers: number }>(
  'facts-new-buyers',
  `select count(*) as customers from facts as f where ${inRange} and ${isFirstPurchase}`,
  { customers: 'int8' },
);

const buyersByMonth = statement<{ month: string; customers: number }>(
  'facts-new-buyers-by-month',
  `select to_char(f.occurred_at at time zone 'UTC', 'YYYY-MM') as month, count(*) as customers
   from facts as f where ${inRange} and ${isFirstPurchase} group by 1`,
  { month: 'text', customers: 'int8' },
);

const bounds = ({ accountId, productId, from, until }: FactRange) => [accountId, productId, from, until];

/** What the roll-ups would say of these facts alone. The cost grows with their number. */
export async function totalsOfFacts(database: Database, range: FactRange, formula: Formula): Promise<ProductTotals> {
  const [{ rows }, buyers] = await Promise.all([
    database.pool.query(totalsInRange([...bounds(range), formula.kinds])),
    formula.countsBuyers ? database.pool.query(buyersInRange(bounds(range))) : undefined,
  ]);
  return { ...(rows[0] as ProductTotals), customers: buyers?.rows[0]?.customers ?? 0 };
}

/** How many bought for the first time in each month, without the months of none. The cost grows with the orders of the range. */
export async function newBuyersByMonth(database: Database, range: FactRange): Promise<Map<string, number>> {
  const { rows } = await database.pool.query(buyersByMonth(bounds(range)));
  return new Map(rows.map(({ month, customers }) => [month, customers]));
}

export interface Listed {
  readonly fact: ExplainedFact;
  readonly values: Parts;
}

/** Facts read in one statement, once the first one did not fill the page. */
const portion = 1_000;
/** Of which a page reads so many: facts that add nothing must not make one page read a product's whole history. */
const scannedMax = 20_000;

/**
 * Up to `limit` facts that add to the formula's parts, kind after kind, each in order of time, from after the fact
 * `after`. `next` is the last fact read, or null at the end.
 * @throws DomainError validation_failed when `after` is no fact of this list
 */
export async function listFacts(
  database: Database,
  { range, formula, limit, after }: ListQuery,
): Promise<{ listed: Listed[]; next: string | null }> {
  const listed: Listed[] = [];
  let last: string | null = after ?? null;
  let entered = last !== null;
  let position = last === null ? 0 : await positionOfKind(database, range, formula, last);
  for (let scanned = 0; position < formula.kinds.length; ) {
    if (listed.length === limit || scanned >= scannedMax) return { listed, next: last };
    const size = scanned === 0 ? limit + 1 : portion;
    const kind = formula.kinds[position] as FactKind;
    const facts = await readPortion(database, range, { formula, kind, after: entered ? last : null, size });
    scanned += facts.length;
    const taken = take(listed, facts, formula, limit);
    last = facts[taken - 1]?.event_id ?? last;
    entered = true;
    if (taken === facts.length && facts.length < size) {
      position += 1;
      entered = false;
    }
  }
  return { listed, next: null };
}

export interface ListQuery {
  readonly range: FactRange;
  readonly formula: Omit<Formula, 'parts'>;
  readonly limit: number;
  readonly after: string | undefined;
}

/** Adds facts to the page until it is full; returns how many it read. */
function take(listed: Listed[], facts: readonly ExplainedFact[], formula: ListQuery['formula'], limit: number): number {
  for (const [index, fact] of facts.entries()) {
    if (listed.length === limit) return index;
    const values = Object.fromEntries(Object.entries(formula.adds(fact)).filter(([, value]) => value !== 0));
    if (Object.keys(values).length > 0) listed.push({ fact, values });
  }
  return facts.length;
}

async function positionOfKind(
  database: Database,
  { accountId, productId }: FactRange,
  { kinds }: ListQuery['formula'],
  after: string,
): Promise<number> {
  const { rows } = await database.pool.query(kindOfFact([accountId, productId, after]));
  const position = rows[0] === undefined ? -1 : kinds.indexOf(rows[0].kind);
  if (position === -1) throw invalidField('after', 'must be the `next` of a page of this list', 'unknown_id');
  return position;
}

async function readPortion(
  database: Database,
  range: FactRange,
  { formula, kind, after, size }: { formula: ListQuery['formula']; kind: FactKind; after: string | null; size: number },
): Promise<ExplainedFact[]> {
  const [first, next] = formula.countsBuyers
    ? [portions.firstOfBuyers, portions.nextOfBuyers]
    : [portions.first, portions.next];
  const values = [...bounds(range), kind, size];
  const { rows } = await database.pool.query(after === null ? first(values) : next([...values, after]));
  const month = range.month?.getTime() ?? Number.NEGATIVE_INFINITY;
  return rows.map((row) => ({ ...row, before_month: row.occurred_at.getTime() < month }));
}
