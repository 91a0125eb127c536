import { setTimeout as sleep } from 'node:timers/promises';

const runPollMs = 100;

export interface Credentials {
  readonly baseUrl: string;
  readonly apiKey: string;
}

interface Product {
  readonly id: string;
  readonly slug: string;
  readonly status: string;
  readonly pricing_type: string;
}

interface ListedOrder {
  readonly id: string;
  readonly created_at: string;
}

export interface DailyRun {
  readonly id: string;
  readonly started_at: string;
  readonly finished_at: string;
  readonly result: { readonly rebills: { readonly charged: number } };
}

interface RunUnderWay {
  readonly id: string;
  readonly finished_at: null;
}

export interface PlatformClient {
  listProducts(): Promise<Product[]>;
  createProduct(number: number): Promise<void>;
  /** Active bumps of the product. */
  listBumps(productId: string): Promise<string[]>;
  setWebhookUrl(url: string): Promise<void>;
  /** From then on buyers pay through Stripe. */
  storeStripeKey(secretKey: string): Promise<void>;
  /** `summary.orders` of the product's metrics. */
  countInMetrics(productId: string): Promise<number>;
  newestOrderId(): Promise<string>;
  /** Runs the daily job, and waits for its end. */
  runDaily(): Promise<DailyRun>;
  /** Where buyers find the seller: part of a checkout's address. */
  readHandle(): Promise<string>;
  /** Every order after that one, page by page. */
  listOrdersAfter(orderId: string): Promise<ListedOrder[]>;
}

/** What the bench requests of the platform, over its public interface. */
export function createPlatformClient({ baseUrl, apiKey }: Credentials): PlatformClient {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  };
  const listOrders = async (query: string) =>
    (await call<{ data: ListedOrder[] }>('GET', `/api/v1/orders?${query}`)).data;
  const newestRun = async () =>
    (await call<{ data: (DailyRun | RunUnderWay)[] }>('GET', '/api/v1/daily-runs?limit=1')).data[0];
  return {
    listProducts: async () => (await call<{ data: Product[] }>('GET', '/api/v1/products')).data,
    async createProduct(number) {
      const [name, slug] = [`Bench product ${number}`, `bench-product-${number}`];
      const accessUrl = `https://example.com/access/${slug}`;
      const terms = { priceCents: 1000 + number, currency: 'usd', pricingType: 'onetime', status: 'live' };
      await call('POST', '/api/v1/products', { name, slug, accessUrl, ...terms });
    },
    async listBumps(productId) {
      const path = `/api/products/${productId}/funnel`;
      const { bumps } = await call<{ bumps: { id: string; active: number }[] }>('GET', path);
      return bumps.filter((bump) => bump.active === 1).map((bump) => bump.id);
    },
    async setWebhookUrl(url) {
      await call('PUT', '/api/v1/webhook-endpoint', { url });
    },
    async storeStripeKey(secretKey) {
      const live = { secretKey, publishableKey: secretKey.replace('sk_', 'pk_') };
      await call('PUT', '/api/v1/payment-processor', { processor: 'stripe', live });
    },
    async countInMetrics(productId) {
      const path = `/api/metrics/${productId}`;
      return (await call<{ summary: { orders: number } }>('GET', path)).summary.orders;
    },
    readHandle: async () => (await call<{ handle: string }>('GET', '/api/v1/settings')).handle,
    async runDaily() {
      let failure: unknown;
      const before = await newestRun();
      // A long run outlives its request, so its end is looked up.
      const requested = call('POST', '/api/cron/daily', { force: true }).catch((err: unknown) => {
        failure = err;
      });
      for (;;) {
        const run = await newestRun();
        if (run !== undefined && run.id !== before?.id && run.finished_at !== null) {
          await requested;
          return run as DailyRun;
        }
        if (failure !== undefined && run?.id === before?.id) throw failure;
        await sleep(runPollMs);
      }
    },
    newestOrderId: async () => (await listOrders('limit=1'))[0]?.id ?? '',
    async listOrdersAfter(orderId) {
      const orders: ListedOrder[] = [];
      for (;;) {
        const last = orders.at(-1);
        const page = await listOrders(last ? `limit=100&before=${last.id}` : 'limit=100');
        // Ids begin with their time, so that they compare as the list is ordered.
        const newer = page.filter((order) => order.id > orderId);
        orders.push(...newer);
        if (newer.length < 100) return orders;
      }
    },
  };
}
