import { limits } from '@app/contracts/common';
import type { RequestInput } from '@app/contracts/define';
import type { explainMetric as contract, MetricExplanation } from '@app/contracts/metrics';
import { invalidField } from '@app/contracts/validation';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { getProduct } from '../products/get-product.ts';
import type { Rollups } from '../rollups/rollups.types.ts';
import { type FactRange, type Listed, listFacts, totalsOfFacts } from './explained-facts.ts';
import { churnFormula, formulas, type Parts } from './formulas.rules.ts';
import { getRollups } from './get-rollups.ts';
import { partsOfMonth } from './metrics.rules.ts';

type Input = RequestInput<typeof contract>;

/**
 * How a number of a product comes about: its formula, the formula's parts, and a page of the facts behind them. The
 * parts are those that the published number is made of.
 * @throws DomainError product_not_found, validation_failed
 */
export async function explainMetric(
  deps: { database: Database; clock: Clock },
  accountId: string,
  input: Input,
): Promise<MetricExplanation> {
  const { productId, metric, month, limit = limits.listMax, after } = input;
  await getProduct(deps, accountId, productId);
  if (metric === 'churn' && month === undefined)
    throw invalidField('month', 'is required for the metric churn', 'required');
  const formula = metric === 'churn' ? churnFormula : formulas[metric];
  const range = rangeOf(accountId, input, formula.cumulative);
  const rollups = await getRollups(deps.database, accountId, productId);
  if (month !== undefined && !hasBegun(month, rollups, deps.clock.now()))
    throw invalidField('month', 'must not be in the future', 'too_big');
  const [parts, { listed, next }] = await Promise.all([
    partsOf(deps.database, rollups, range, input),
    listFacts(deps.database, { range, formula, limit, after }),
  ]);
  return {
    metric,
    currency: rollups.currency,
    month: month ?? null,
    value: formula.value(parts),
    formula: formula.words,
    version: formula.version,
    parts: { ...parts },
    data: listed.map(published),
    next,
  };
}

function rangeOf(accountId: string, { productId, month }: Input, cumulative: boolean): FactRange {
  if (month === undefined) return { accountId, productId, from: null, until: null, month: null };
  const start = new Date(`${month}-01T00:00:00.000Z`);
  const until = new Date(start);
  until.setUTCMonth(start.getUTCMonth() + 1);
  return { accountId, productId, from: cumulative ? null : start, until, month: start };
}

/** By the clock, or because something happened in it: an order's time may be a little ahead of this process's clock. */
export const hasBegun = (month: string, { months }: Rollups, now: Date): boolean =>
  month <= now.toISOString().slice(0, 7) || months.some((each) => each.month >= month);

/** From the roll-ups, but for numbers that roll-ups do not keep by month: those are counted from the month's facts. */
async function partsOf(
  database: Database,
  { totals, months }: Rollups,
  range: FactRange,
  { metric, month }: Input,
): Promise<Parts> {
  const ofMonth = month === undefined ? undefined : partsOfMonth(metric, months, month);
  if (ofMonth !== undefined || metric === 'churn') return ofMonth ?? {};
  const formula = formulas[metric];
  return formula.parts(month === undefined ? totals : await totalsOfFacts(database, range, formula));
}

/** Visitors have no names: a visit has no subject. */
const published = ({ fact, values }: Listed): MetricExplanation['data'][number] => ({
  id: fact.event_id,
  kind: fact.kind,
  subject: fact.fact_key === fact.event_id ? '' : fact.fact_key,
  occurred_at: fact.occurred_at.toISOString(),
  currency: fact.currency,
  values,
});
