import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '@app/contracts/errors';
import { idTimeMs, isId } from '@app/contracts/ids';
import type { MetricsResource } from '@app/contracts/metrics';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { productAwaited } from '../points/points.ts';

type Product = Omit<MetricsResource['product'], 'currency'>;

const productById = statement<Product>(
  'products-by-id',
  `select product_id as id, name, pricing_type as "pricingType" from products where account_id = $1 and product_id = $2`,
  { id: 'text', name: 'text', pricingType: 'text' },
);

/** Ids begin with the time at which they were made; the clocks of two machines may differ by less than this. */
const youngMs = 60_000;
/** The event of a new product is here within a second. */
const usualWaitMs = 1_000;
const pollMs = 50;

/**
 * The account's product, whose name and type came with events. The event of a product made moments ago may be under
 * way: such a one is waited for, up to a second.
 * @param waitMs for how long, in milliseconds of real time
 * @throws DomainError product_not_found, for another account's product as well
 */
export async function getProduct(
  { database, clock }: { database: Database; clock: Clock },
  accountId: string,
  productId: string,
  waitMs = usualWaitMs,
): Promise<Product> {
  const startedMs = performance.now();
  let isAwaited = false;
  while (true) {
    const { rows } = await database.pool.query(productById([accountId, productId]));
    const [row] = rows;
    if (row !== undefined) return row;
    if (!isYoung(productId, clock.nowMs()) || performance.now() - startedMs > waitMs) break;
    if (!isAwaited) productAwaited.announce(() => ({ accountId, productId }));
    isAwaited = true;
    await sleep(pollMs);
  }
  throw new DomainError('product_not_found', `No product has the id "${productId}".`);
}

const isYoung = (productId: string, nowMs: number): boolean =>
  isId('product', productId) && Math.abs(nowMs - idTimeMs(productId)) < youngMs;
