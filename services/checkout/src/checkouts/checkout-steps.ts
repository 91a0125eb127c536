import { type ProductForSale, productsForSaleMax } from '@app/contracts/products-for-sale';
import type { Requester } from '@app/messaging/requester';
import type { Database } from '@app/service-kit/database';
import { type LimitedDiscount, usesOf } from '../discounts/discount-uses.ts';
import { type BatchedStep, createBatchedStep } from './batched-step.ts';
import { type CheckoutRow, findCheckouts, type OfBuyer } from './checkout-row.ts';
import { type BegunTry, freezeSales, type NewTry } from './freeze-sale.ts';
import { productsForSale, type WantedProduct } from './products-for-sale.ts';
import { type Opened, type Opening, recordOpenings } from './record-openings.ts';
import { recordOutcomes, type TryEnd } from './record-outcome.ts';

/**
 * What buyers wait for, in batches: a step costs one statement, or one question to catalog, however many checkouts take
 * it at the same time. A step sends nothing before its items arrived, so each sees what was committed before it.
 */
export interface CheckoutSteps {
  /** Null for an unknown id and for a wrong secret. */
  readonly find: BatchedStep<OfBuyer, CheckoutRow | null>['take'];
  /** Null when the account has no such product. */
  readonly product: BatchedStep<WantedProduct, ProductForSale | null>['take'];
  /** How often the discount was used. */
  readonly uses: BatchedStep<LimitedDiscount, number>['take'];
  readonly open: BatchedStep<Opening, Opened>['take'];
  readonly freeze: BatchedStep<NewTry, BegunTry>['take'];
  readonly record: BatchedStep<TryEnd, CheckoutRow | undefined>['take'];
  close(): Promise<void>;
}

export function createCheckoutSteps(database: Database, requester: Requester): CheckoutSteps {
  const { pool } = database;
  const find = createBatchedStep({
    name: 'find checkouts',
    run: (buyers: readonly OfBuyer[]) => findCheckouts(pool, buyers),
  });
  const product = createBatchedStep({
    name: 'price checkouts',
    maxBatch: productsForSaleMax,
    run: (wanted: readonly WantedProduct[]) => productsForSale(requester, wanted),
  });
  const uses = createBatchedStep({
    name: 'read discount uses',
    run: (all: readonly LimitedDiscount[]) => usesOf(pool, all),
  });
  const open = createBatchedStep({
    name: 'open checkouts',
    run: (all: readonly Opening[]) => recordOpenings(pool, all),
  });
  const freeze = createBatchedStep({
    name: 'freeze sales',
    run: (tries: readonly NewTry[]) => freezeSales(pool, tries),
  });
  const record = createBatchedStep({
    name: 'record payments',
    run: (ends: readonly TryEnd[]) => recordOutcomes(pool, ends),
  });
  return {
    find: find.take,
    product: product.take,
    uses: uses.take,
    open: open.take,
    freeze: freeze.take,
    record: record.take,
    close: async () => {
      await Promise.all([find, product, uses, open, freeze, record].map((step) => step.close()));
    },
  };
}
