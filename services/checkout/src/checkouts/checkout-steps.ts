import { DomainError } from '@app/contracts/errors';
import { type ProductForSale, productsForSaleMax } from '@app/contracts/products-for-sale';
import type { Requester } from '@app/messaging/requester';
import { type Batcher, createBatcher } from '@app/service-kit/batcher';
import type { Database } from '@app/service-kit/database';
import { together } from '@app/service-kit/together';
import { type LimitedDiscount, usesOf } from '../discounts/discount-uses.ts';
import { productsForSale, type WantedProduct } from '../products/products-for-sale.ts';
import type { NewAttempt } from './begin-attempts.rules.ts';
import { type BegunAttempt, beginAttempts } from './begin-attempts.ts';
import { type CheckoutRow, findCheckouts, type OfBuyer } from './checkout-row.ts';
import { type Opened, type Opening, recordOpenings } from './record-openings.ts';
import { type AttemptEnd, recordOutcomes } from './record-outcomes.ts';
import { recordVisits, type Visit } from './record-visits.ts';

/** Of each step: about as many as are done while their callers wait. */
const waitingMax = 2_000;

/** One step of many checkouts. Those that wait at the same time go together; each has its own outcome. */
type Step<I, O> = Pick<Batcher<I, O>, 'add' | 'close'>;

/**
 * @param name of its spans: `open checkouts`
 * @param run as many results as items, in their order; when it throws, nothing of the batch took effect
 */
function createStep<I, O>(name: string, run: (items: readonly I[]) => Promise<readonly O[]>, maxSize = 64): Step<I, O> {
  return createBatcher<I, O>({
    maxSize,
    maxWaiting: waitingMax,
    concurrency: 2,
    fullError: () =>
      new DomainError('service_unavailable', 'Too many checkouts are waiting: repeat the request in a few seconds.'),
    span: { service: 'checkout', one: name, many: name, count: 'app.checkouts' },
    run: together(run),
  });
}

/**
 * What buyers wait for, in batches: a step costs one statement, or one request to catalog, however many checkouts take
 * it at the same time. A step sends nothing before its items arrived, so each sees what was committed before it.
 */
export interface CheckoutSteps {
  /** Null for an unknown id and for a wrong secret. */
  readonly find: Step<OfBuyer, CheckoutRow | null>['add'];
  /** Null when the account has no such product. */
  readonly product: Step<WantedProduct, ProductForSale | null>['add'];
  /** How often the discount was used. */
  readonly uses: Step<LimitedDiscount, number>['add'];
  readonly open: Step<Opening, Opened>['add'];
  /** Whether the visitor was new that day. */
  readonly visit: Step<Visit, boolean>['add'];
  /** Fixes the sale and moves the checkout to `processing`: `begin-attempts.ts`. */
  readonly begin: Step<NewAttempt, BegunAttempt>['add'];
  /** What billing said of the attempt, with its order and events: `record-outcomes.ts`. Undefined where it was recorded before. */
  readonly record: Step<AttemptEnd, CheckoutRow | undefined>['add'];
  close(): Promise<void>;
}

export function createCheckoutSteps(database: Database, requester: Requester): CheckoutSteps {
  const { pool } = database;
  const find = createStep('find checkouts', (buyers: readonly OfBuyer[]) => findCheckouts(pool, buyers));
  const product = createStep(
    'price checkouts',
    (wanted: readonly WantedProduct[]) => productsForSale(requester, wanted),
    productsForSaleMax,
  );
  const uses = createStep('read discount uses', (all: readonly LimitedDiscount[]) => usesOf(pool, all));
  const open = createStep('open checkouts', (all: readonly Opening[]) => recordOpenings(pool, all));
  const visit = createStep('record visits', (all: readonly Visit[]) => recordVisits(pool, all));
  const begin = createStep('begin attempts', (attempts: readonly NewAttempt[]) => beginAttempts(database, attempts));
  const record = createStep('record payments', (ends: readonly AttemptEnd[]) => recordOutcomes(pool, ends));
  return {
    find: find.add,
    product: product.add,
    uses: uses.add,
    open: open.add,
    visit: visit.add,
    begin: begin.add,
    record: record.add,
    close: async () => {
      await Promise.all([find, product, uses, open, visit, begin, record].map((step) => step.close()));
    },
  };
}
