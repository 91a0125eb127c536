import { dayMs } from '@app/contracts/durations';
import type { CreateOrderBody } from '@app/contracts/orders';
import {
  type DemoProduct,
  demoBuyers,
  demoCampaigns,
  demoCountries,
  demoEmail,
  demoHistoryDays,
  demoOrderCount,
  demoPartner,
} from './demo-shop.ts';

export interface DemoOrder {
  readonly atMs: number;
  readonly body: CreateOrderBody;
}

/** mulberry32: the same history at every first start, so that what a reader sees is what the documentation shows. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Weeks of orders in the order of time: business grows towards today, some buyers come back, bumps are taken as often
 * as the shop says.
 * @param bumpIds ids of each product's bumps, by slug
 */
export function demoOrders(
  products: readonly DemoProduct[],
  bumpIds: ReadonlyMap<string, readonly string[]>,
  nowMs: number,
): DemoOrder[] {
  const random = randomFrom(20_261_120);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const weighted = products.flatMap((product) => Array.from({ length: product.weight }, () => product));
  const orders = Array.from({ length: demoOrderCount }, (): DemoOrder => {
    const product = pick(weighted);
    const buyer = pick(demoBuyers);
    const campaign = pick(demoCampaigns);
    const taken = product.bumps.flatMap((bump, index) => {
      const id = bumpIds.get(product.slug)?.[index];
      return id !== undefined && random() < bump.takenBy ? [id] : [];
    });
    // The square root leans the days towards today.
    const ageMs = (1 - Math.sqrt(random())) * demoHistoryDays * dayMs;
    return {
      atMs: Math.floor(nowMs - ageMs - 60_000),
      body: {
        productSlug: product.slug,
        email: demoEmail(buyer),
        name: buyer,
        country: pick(demoCountries),
        ...(taken.length > 0 ? { bumpIds: taken } : {}),
        ...(campaign ?? {}),
        ...(campaign?.utm_source === demoPartner.code ? { affiliateCode: demoPartner.code } : {}),
        ...(product.discounts[0] !== undefined && random() < 0.1 ? { discountCode: product.discounts[0].code } : {}),
        ...(product.billingInterval !== undefined && random() < 0.7 ? { paymentMethod: 'sim_ok' } : {}),
      },
    };
  });
  return orders.sort((one, other) => one.atMs - other.atMs);
}
