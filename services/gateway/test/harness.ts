import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { revokeEndpoints, revokeProcessor } from '@app/contracts/accounts';
import {
  createAutomation,
  listAutomations,
  previewAutomation,
  revealAutomationSecret,
  rotateAutomationSecret,
  updateAutomation,
} from '@app/contracts/automations';
import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { createOrder, getOrder, listOrders, type OrdersQuery } from '@app/contracts/orders';
import { examineStripe, putPaymentProcessor, type StripeExamination } from '@app/contracts/payment-processors';
import { getProduct, listProducts } from '@app/contracts/products';
import { findProductsForSale, type ProductForSale } from '@app/contracts/products-for-sale';
import type { ServiceName } from '@app/contracts/services';
import {
  createWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  putWebhookEndpoint,
  revealWebhookSecret,
  rotateWebhookSecret,
} from '@app/contracts/webhooks';
import { connectNats, type NatsClient } from '@app/messaging/connect';
import type { RequestContext } from '@app/messaging/request-headers';
import {
  onRequest,
  onRequestAcrossAccounts,
  type RequestHandler,
  Serialized,
  serveRequests,
} from '@app/messaging/serve-requests';
import { AdjustableClock } from '@app/service-kit/clock';
import { silentLogger } from '@app/service-kit/logger';
import { createArrivals } from '@app/testing/arrivals';
import { createTestNats, type TestNats } from '@app/testing/nats';
import { createMigratedDatabase } from '@app/testing/postgres';
import { onSimulatedSettings } from '@app/testing/simulated-settings';
import { readConfig } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import type { GatewayDeps, RunningGateway } from '../src/gateway-deps.ts';
import { createGateway } from '../src/service.ts';
import { createCardStandIn } from './card-stand-in.ts';
import { createCheckoutStandIn } from './checkout-stand-in.ts';
import { createDailyStandIn } from './daily-stand-in.ts';
import { send } from './http.ts';

export const platformKey = 'platform-key-of-the-tests-0123456789';
type PlaceOrder = (
  input: RequestInput<typeof createOrder>,
  context: RequestContext,
) => Promise<{ ok: true; orderId: string; totalCents: number }>;

export type Harness = Awaited<ReturnType<typeof createHarness>>;

/** For tests of readiness: each request finds out anew, and no service that replies counts as silent. */
export const sureHealth = { limitMs: 20_000, memoryMs: 0, refusalMs: 60_000 };

/** A third of a second of CPU for each password would be most of what these tests take. */
export const passwordCost = { N: 16, r: 1, p: 1 };

/**
 * Gateways on one database and one NATS; the services behind them are stand-ins that a test may change.
 * @param given NATS that is closed with it: a server of its own for a test that kills it
 */
interface Books {
  orders: string;
  /** The one order that is read by its id. */
  order: string;
  /** Of the list of orders, in place of `orders`. */
  page?: (query: OrdersQuery) => Promise<string>;
  product: string;
  /** The endpoint that is connected, if one is. */
  endpoint?: string;
}

export async function createHarness(given?: TestNats) {
  const nats = given ?? (await createTestNats());
  const database = await createMigratedDatabase('gateway', migrate);
  const clock = new AdjustableClock();
  const placed = createArrivals<RequestContext>();
  const orders: { place: PlaceOrder } = {
    place: async (_, { commandId }) => ({ ok: true, orderId: idOfCommand('order', commandId), totalCents: 100 }),
  };
  const { checkout, handlers: buyersHandlers } = createCheckoutStandIn();
  const requested = createArrivals<unknown>();
  /** `product`: the account of the one product in the catalog, and its id. */
  const books: Books = { orders: '{ "data" : [] }', order: '{}', product: '' };
  const reply = (input: unknown, json: string) => {
    requested.push(input);
    return new Serialized(json);
  };
  const endpoints = { put: async (): Promise<void> => undefined };
  const processors = {
    revoke: async (): Promise<void> => undefined,
    atStripe: { states: [], last_event_at: null } as StripeExamination,
  };
  const daily = createDailyStandIn(requested);
  const { cards, billing: cardHandlers, checkout: cardOrders } = createCardStandIn(() => clock.nowMs());
  const standIns = [
    await serveAs(nats, 'checkout', [
      onRequest(createOrder, async (input, context) => {
        placed.push(context);
        return await orders.place(input, context);
      }),
      onRequest(listOrders, async (input) => reply(input, (await books.page?.(input)) ?? books.orders)),
      onRequest(getOrder, async (input) => reply(input, books.order)),
      ...buyersHandlers,
      ...cardOrders,
      ...daily.checkout,
    ]),
    await serveAs(nats, 'billing', [
      onSimulatedSettings,
      onRequest(revokeProcessor, async (_, { accountId }) => {
        await processors.revoke();
        requested.push({ revoked: 'processor', accountId });
        return { ok: true as const };
      }),
      onRequest(putPaymentProcessor, async (input) => reply(input, '{"version":2}')),
      onRequestAcrossAccounts(examineStripe, async () => processors.atStripe),
      ...daily.billing,
      ...cardHandlers,
    ]),
    await serveAs(nats, 'webhook-dispatcher', [
      onRequest(createAutomation, async (input) => reply(input, '{"id":"aut_1"}')),
      onRequest(updateAutomation, async (input) => reply(input, '{"id":"aut_1"}')),
      onRequest(previewAutomation, async (input) => reply(input, '{"to":"","subject":"","text":"","html":""}')),
      onRequest(rotateAutomationSecret, async (input) => reply(input, '{"id":"aut_1","secret":"whsec_of_the_tests"}')),
      onRequest(revealAutomationSecret, async (input, { accountId }) => {
        requested.push({ ...input, accountId });
        return { secret: 'whsec_of_the_tests', previous_secret: null };
      }),
      onRequest(revokeEndpoints, async (_, { accountId }) => {
        requested.push({ revoked: 'endpoints', accountId });
        return { ok: true as const };
      }),
      onRequest(getWebhookEndpoint, async () => {
        if (books.endpoint !== undefined) return new Serialized(books.endpoint);
        throw new DomainError('webhook_endpoint_not_found', 'No webhook URL is connected.');
      }),
      onRequest(listWebhookEndpoints, async () => new Serialized(`{"data":[${books.endpoint ?? ''}]}`)),
      onRequest(listAutomations, async () => ({ data: [] })),
      onRequest(createWebhookEndpoint, async (input) => reply(input, '{"id":"whe_2","secret":"whsec_of_the_tests"}')),
      onRequest(putWebhookEndpoint, async (input) => {
        const answer = reply(input, '{"id":"whe_1","secret":"whsec_of_the_tests"}');
        await endpoints.put();
        return answer;
      }),
      onRequest(rotateWebhookSecret, async (input) => reply(input, '{"id":"whe_1","secret":"whsec_of_the_tests"}')),
      onRequest(revealWebhookSecret, async (input, { accountId }) => {
        requested.push({ ...input, accountId });
        return { secret: 'whsec_of_the_tests', previous_secret: null };
      }),
    ]),
    await serveAs(nats, 'catalog', [
      onRequest(listProducts, async () => ({ data: [] })),
      onRequest(getProduct, async ({ productId }, { accountId }) => {
        if (books.product !== `${accountId} ${productId}`)
          throw new DomainError('product_not_found', 'No such product.');
        return new Serialized('{}');
      }),
      onRequestAcrossAccounts(findProductsForSale, async ({ wanted }) => ({ products: wanted.map(productOf) })),
    ]),
  ];
  const emails = mkdtempSync(join(tmpdir(), 'funnelry-letters-'));
  const env = {
    DATABASE_URL: database.url,
    EMAIL_DIR: emails,
    ...nats.settings('gateway'),
    PORT: '0',
    KEY_PEPPER: 'p'.repeat(32),
    PLATFORM_KEY: platformKey,
    RATE_LIMIT_PER_MINUTE: '0',
  };
  const gateways: RunningGateway[] = [];
  return {
    nats,
    database,
    clock,
    /** Where letters are files. */
    emails,
    /** The requests that checkout and the other services got. */
    placed: placed.list,
    requested: requested.list,
    cards,
    /** Resolves when checkout has got so many orders, or the services so many other requests. */
    untilPlaced: (count: number) => placed.wait(count, { what: 'orders' }),
    untilRequested: (count: number) => requested.wait(count, { what: 'requests' }),
    /** Forgets the orders and the requests so far. */
    forget: () => {
      placed.clear();
      requested.clear();
    },
    books,
    orders,
    /** What the dispatcher does before it answers that a URL is connected. */
    endpoints,
    /** What billing does before it forgets an account's keys, and what it finds of the accounts at Stripe. */
    processors,
    checkout,
    daily: daily.standIn,
    /** The settings of every gateway, for a test that starts one by itself. */
    env,
    start: async (settings: Record<string, string> = {}, deps: Partial<GatewayDeps> = {}): Promise<RunningGateway> => {
      const config = readConfig({ ...env, ...settings });
      const clockControl = { set: async (offsetMs: number) => clock.moveTo(new Date(Date.now() + offsetMs)) };
      const gateway = await createGateway(config, {
        logger: silentLogger(),
        clock,
        clockControl,
        passwordCost,
        ...deps,
      });
      gateways.push(gateway);
      return gateway;
    },
    /** One more service that answers nothing but that it is there. */
    standIn: async (service: ServiceName): Promise<void> => {
      standIns.push(await serveAs(nats, service, []));
    },
    close: async () => {
      for (const gateway of gateways) await gateway.close();
      for (const standIn of standIns) await standIn.close();
      await database.close();
      await nats.close();
      rmSync(emails, { recursive: true, force: true });
    },
  };
}

/** Answers as this service, until the link is closed. */
export async function serveAs(nats: TestNats, service: ServiceName, answers: RequestHandler[]): Promise<NatsClient> {
  const link = await connectNats(nats.login(service));
  const handlers = answers.map(onceEach);
  await serveRequests(link, { version: '0.1.0', description: 'a stand-in', handlers, logger: silentLogger() });
  return link;
}

/**
 * A command of whose work there is no sign is sent again. A service does it once all the same, and so does its stand-in,
 * whose calls a test counts. In another request it is begun anew.
 */
function onceEach(handler: RequestHandler): RequestHandler {
  const begun = new Map<string, Promise<unknown>>();
  return {
    ...handler,
    handle: (input, context) => {
      if (context.commandId === '') return handler.handle(input, context);
      const call = `${context.requestId} ${context.commandId}`;
      const known = begun.get(call);
      if (known !== undefined) return known;
      const doing = handler.handle(input, context);
      begun.set(call, doing);
      doing.catch(({ code }: { code?: unknown }) => {
        if (code === 'outcome_unknown') begun.delete(call);
      });
      return doing;
    },
  };
}

/** Every shop sells a course and nothing else. */
const productOf = ({ slug }: { slug: string }): ProductForSale | null =>
  slug !== 'course'
    ? null
    : {
        ...{ productId: 'prd_1', name: 'Course', slug, priceCents: 4_900, currency: 'usd', pricingType: 'onetime' },
        ...{ billingInterval: null, status: 'live', accessUrl: null, bumps: [], discounts: [], upsell: null },
      };

let sellers = 0;

/** Signs up a new seller. */
export async function signUp(url: string) {
  const email = `seller${++sellers}@example.com`;
  const signedUp = await send(url, 'POST', '/api/auth/signup', {
    body: { email, password: 'a long password', name: `Seller ${sellers}` },
  });
  const session = signedUp.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  return { email, session, accountId: signedUp.json.accountId as string };
}

/** Signs up a new seller, whose session is confirmed, and makes a key with all scopes. */
export async function createSeller(url: string) {
  const { email, session, accountId } = await signUp(url);
  await send(url, 'POST', '/api/auth/confirm', { session, body: { password: 'a long password' } });
  const made = await send(url, 'POST', '/api/v1/api-keys', { session, body: { name: 'main' } });
  return { email, session, accountId, key: made.json.key as string, keyId: made.json.id as string };
}
