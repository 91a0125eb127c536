import { resolveOffers, type SaleOffer } from '@app/contracts/catalog';
import { newIdSuffix } from '@app/contracts/ids';
import type { PlaceOrderBody } from '@app/contracts/orders';
import { connectNats, type NatsLink } from '@app/messaging/connect';
import { createRequester, type Requester } from '@app/messaging/requester';
import { answerAcrossAccounts, serveRequests } from '@app/messaging/serve-requests';
import { AdjustableClock } from '@app/service-kit/clock';
import { silentLogger } from '@app/service-kit/logger';
import type { RunningService } from '@app/service-kit/service';
import { createTestNats, type TestNats } from '@app/testing/nats';
import { createMigratedDatabase, type TestDatabase } from '@app/testing/postgres';
import { readConfig } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import { createCheckout } from '../src/service.ts';

/** The real service on a database and a nats-server of its own; the catalog is a map that a test fills. */
export interface Harness {
  readonly nats: TestNats;
  readonly database: TestDatabase;
  readonly requester: Requester;
  readonly link: NatsLink;
  readonly offers: Map<string, SaleOffer>;
  readonly asked: { times: number };
  start(): Promise<RunningService>;
  /** The catalog goes down. */
  stopCatalog(): Promise<void>;
  close(): Promise<void>;
}

export const account = { testMode: false, supportEmail: 'help@example.com' };
export const context = (accountId = 'acc_1', commandId = newIdSuffix(Date.now())) => ({
  accountId,
  requestId: 'req-1',
  commandId,
});
export const orderBody = (change: Partial<PlaceOrderBody> = {}): PlaceOrderBody => ({
  productSlug: 'course',
  email: 'ada@example.com',
  ...change,
});

export async function createHarness(): Promise<Harness> {
  const nats = await createTestNats();
  const database = await createMigratedDatabase('checkout', migrate);
  const offers = new Map<string, SaleOffer>();
  const asked = { times: 0 };
  const catalog = await connectNats({ url: nats.url, service: 'catalog' });
  const find = answerAcrossAccounts(resolveOffers, async ({ wanted }) => {
    asked.times += 1;
    return { offers: wanted.map(({ accountId, slug }) => offers.get(`${accountId}/${slug}`) ?? null) };
  });
  await serveRequests(catalog, { version: '0.1.0', description: 'a catalog', answers: [find], logger: silentLogger() });
  const link = await connectNats({ url: nats.url, service: 'gateway' });
  const running: RunningService[] = [];
  return {
    nats,
    database,
    requester: createRequester(link),
    link,
    offers,
    asked,
    start: async () => {
      const config = readConfig({ DATABASE_URL: database.url, NATS_URL: nats.url });
      const service = await createCheckout(config, { logger: silentLogger(), clock: new AdjustableClock() });
      running.push(service);
      return service;
    },
    stopCatalog: () => catalog.close(),
    close: async () => {
      for (const service of running) await service.close();
      await link.close();
      await catalog.close();
      await database.close();
      await nats.close();
    },
  };
}

export const course: SaleOffer = {
  productId: 'prd_01m7xft13ne0wattr3dpc56bw9',
  name: 'Course',
  slug: 'course',
  priceCents: 9_900,
  currency: 'usd',
  pricingType: 'onetime',
  billingInterval: null,
  status: 'live',
  accessUrl: 'https://example.com/access',
  bumps: [{ id: 'bmp_1', headline: 'Guide', priceCents: 1_900 }],
  discounts: [
    { id: 'dsc_1', code: 'TWICE', percentOff: 50, amountOffCents: null, expiresAt: null, maxUses: 2 },
    { id: 'dsc_2', code: 'ALWAYS', percentOff: null, amountOffCents: 400, expiresAt: null, maxUses: null },
  ],
};
