import { resolveCredits } from '@app/contracts/affiliates';
import { newIdSuffix } from '@app/contracts/ids';
import type { CreateOrderBody } from '@app/contracts/orders';
import {
  findProductsForSale,
  type PricedProduct,
  type ProductForSale,
  type WantedForSale,
} from '@app/contracts/products-for-sale';
import { connectNats, type NatsClient } from '@app/messaging/connect';
import { requestBegun } from '@app/messaging/points';
import { createRequester, type Requester } from '@app/messaging/requester';
import { onRequestAcrossAccounts, serveRequests } from '@app/messaging/serve-requests';
import { roundEnded } from '@app/service-kit/background-loop';
import { AdjustableClock } from '@app/service-kit/clock';
import { silentLogger } from '@app/service-kit/logger';
import type { RunningService } from '@app/service-kit/service';
import { createArrivals } from '@app/testing/arrivals';
import { plainCourse } from '@app/testing/course';
import { outboxPublished } from '@app/testing/followed-events';
import { createTestNats, type TestNats } from '@app/testing/nats';
import { listen } from '@app/testing/points';
import type { TestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { nextTurn } from '@app/testing/time-passes';
import { readConfig } from '../src/config.ts';
import { createCheckout } from '../src/service.ts';
import { emptyDatabase, takeDatabase } from './shared-database.ts';

/** The real service on a database and a nats-server of its own; the catalog is a map that a test fills. */
export interface Harness {
  readonly nats: TestNats;
  readonly database: TestDatabase;
  readonly requester: Requester;
  readonly link: NatsClient;
  readonly products: Map<string, PricedProduct>;
  /** What each request to the catalog named. */
  readonly requested: readonly WantedForSale[][];
  /** Resolves when so many requests to the catalog have come. */
  catalogRequests(times: number): Promise<unknown>;
  /** The catalog sends no response until the function it returns is called. */
  stallCatalog(): () => void;
  /** Sends requests, and resolves when the service has received so many and has begun to work on them. */
  arrived<T>(count: number, send: () => T): Promise<{ readonly sent: T }>;
  /** Of the services it starts. */
  readonly clock: AdjustableClock;
  start(settings?: Record<string, string>): Promise<RunningService>;
  /** Starts the service, and resolves when its first sweep has ended. */
  startAndSweep(): Promise<RunningService>;
  /** The catalog goes down. */
  stopCatalog(): Promise<void>;
  /** The code as the affiliate writes it, by account and lower-case code. */
  readonly affiliates: Map<string, string>;
  /** How many requests the affiliate service got. */
  creditRequests(): number;
  /** Resolves when it got so many. */
  affiliateRequests(times: number): Promise<unknown>;
  stopAffiliate(): Promise<void>;
  /** The affiliate service works on every request, and responds to none until the function it returns is called. */
  stallAffiliate(): () => void;
  /** Closes the services that it started. */
  stopServices(): Promise<void>;
  /** As at its beginning, but for the clock and the services that run: they have published and handled everything. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export const account = { testMode: false, supportEmail: 'help@example.com' };
export const context = (accountId = 'acc_1', commandId = newIdSuffix(Date.now())) => ({
  accountId,
  requestId: 'req-1',
  commandId,
});
export const orderBody = (change: Partial<CreateOrderBody> = {}): CreateOrderBody => ({
  productSlug: 'course',
  email: 'ada@example.com',
  ...change,
});

/** @param sells what the catalog answers where no bumps are named, as orders name them */
export async function createHarness(
  sells?: (wanted: WantedForSale[]) => Promise<(ProductForSale | null)[]>,
): Promise<Harness> {
  const nats = await createTestNats();
  const database = await takeDatabase();
  const products = new Map<string, PricedProduct>();
  const requested = createArrivals<WantedForSale[]>();
  let stalled = Promise.resolve();
  let creditsStalled = Promise.resolve();
  const [catalog, affiliate, link] = await Promise.all([
    connectNats(nats.login('catalog')),
    connectNats(nats.login('affiliate')),
    connectNats(nats.login('gateway')),
  ]);
  const find = onRequestAcrossAccounts(findProductsForSale, async ({ wanted }) => {
    if (sells !== undefined && wanted[0]?.bumpIds === undefined) return { products: await sells(wanted) };
    requested.push(wanted);
    await stalled;
    return { products: wanted.map((one) => responseTo(one, products.get(`${one.accountId}/${one.slug}`))) };
  });
  await serveRequests(catalog, {
    version: '0.1.0',
    description: 'a catalog',
    handlers: [find],
    logger: silentLogger(),
  });
  const affiliates = new Map<string, string>();
  const credits = createArrivals<object>();
  const credit = onRequestAcrossAccounts(resolveCredits, async ({ wanted }) => {
    credits.push(wanted);
    await creditsStalled;
    return { credited: wanted.map((one) => affiliates.get(`${one.accountId}/${one.code.toLowerCase()}`) ?? null) };
  });
  await serveRequests(affiliate, {
    version: '0.1.0',
    description: 'affiliates',
    handlers: [credit],
    logger: silentLogger(),
  });
  const running: RunningService[] = [];
  const requester = createRequester(link);
  const clock = new AdjustableClock();
  const start = async (settings: Record<string, string> = {}): Promise<RunningService> => {
    const config = readConfig({ ...settings, DATABASE_URL: database.url, ...nats.settings('checkout') });
    const service = await createCheckout(config, { logger: silentLogger(), clock });
    running.push(service);
    return service;
  };
  const stopServices = async (): Promise<void> => {
    await Promise.all(running.splice(0).map((service) => service.close()));
  };
  return {
    clock,
    nats,
    database,
    requester,
    link,
    products,
    requested: requested.list,
    catalogRequests: (times) => requested.wait(times, { what: 'requests to the catalog' }),
    stallCatalog: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      stalled = promise;
      return resolve;
    },
    arrived: async (count, send) => {
      const { announced } = listen();
      const sent = send();
      await announced(requestBegun, ({ service }) => service === 'checkout', count);
      // In the turn in which a request is begun, it comes to wait with those of its batch.
      await nextTurn();
      return { sent };
    },
    start,
    startAndSweep: async () => {
      const { announced } = listen();
      const service = await start();
      await announced(roundEnded, ({ loop }) => loop === 'checkout.sweep');
      return service;
    },
    stopCatalog: () => catalog.close(),
    affiliates,
    creditRequests: () => credits.list.length,
    affiliateRequests: (times) => credits.wait(times, { what: 'requests to the affiliate service' }),
    stopAffiliate: () => affiliate.close(),
    stallAffiliate: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      creditsStalled = promise;
      return resolve;
    },
    reset: async () => {
      await outboxPublished({ query: async (text) => ({ rows: await query(database.url, text) }) });
      await emptyDatabase(database.url);
      products.clear();
      affiliates.clear();
      requested.clear();
      credits.clear();
    },
    stopServices,
    close: async () => {
      await stopServices();
      await Promise.all([link.close(), catalog.close(), affiliate.close()]);
      await database.close();
      await nats.close();
    },
  };
}

/** As the catalog responds: nothing that was not requested. */
function responseTo(
  { bumpIds = [], discountCodes }: WantedForSale,
  product: PricedProduct | undefined,
): ProductForSale | null {
  if (product === undefined) return null;
  return {
    ...product,
    upsell: null,
    bumps: product.bumps.filter(({ id }) => bumpIds.includes(id)),
    discounts: product.discounts.filter(({ code }) => discountCodes.includes(code)),
  };
}

export const course: PricedProduct = {
  ...plainCourse,
  accessUrl: 'https://example.com/access',
  bumps: [{ id: 'bmp_1', headline: 'Guide', priceCents: 1_900 }],
  discounts: [
    { id: 'dsc_1', code: 'TWICE', percentOff: 50, amountOffCents: null, expiresAt: null, maxUses: 2 },
    { id: 'dsc_2', code: 'ALWAYS', percentOff: null, amountOffCents: 400, expiresAt: null, maxUses: null },
  ],
};
