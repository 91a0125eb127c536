import { StripeStandIn } from '@app/billing/stripe-stand-in';
import type { Receiver } from '@app/testing/http-receiver';
import { startReceiver } from '@app/testing/http-receiver';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { type Later, startLater } from '../support/later.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { type Seller, signUp } from '../support/seller.ts';
import type { Random } from './random.ts';

/** A product on sale, and what is offered with it. */
export interface Product {
  readonly id: string;
  readonly slug: string;
  readonly pricingType: 'onetime' | 'subscription';
  readonly bumpIds: readonly string[];
}

/** A seller, what is on sale, and where its webhooks go. */
export interface Shop {
  readonly seller: Seller;
  readonly handle: string;
  /** Of an account at Stripe; undefined at the simulated processor. */
  readonly stripe: StripeKeys | undefined;
  readonly products: readonly Product[];
  readonly affiliate: Affiliate;
  readonly discount: { readonly code: string; readonly productId: string; readonly maxUses: number };
  /** Paths at the receiver, one for each endpoint. */
  readonly hooks: readonly string[];
}

export interface StripeKeys {
  readonly secretKey: string;
  /** Of the endpoint that the seller made by hand. */
  readonly webhookSecret: string;
}

export interface Affiliate {
  readonly code: string;
  readonly email: string;
  readonly percent: number;
  readonly renewalMonths: number;
}

export interface World {
  readonly cluster: Cluster;
  readonly postgres: OwnPostgres;
  readonly later: Later;
  readonly receiver: Receiver;
  /** Stripe, with books of its own. */
  readonly stripe: StripeStandIn;
  readonly shops: readonly Shop[];
  /** From now on the receiver that failed now and then answers at once. */
  calmReceiver(): void;
  close(): Promise<void>;
}

const shopCount = 4;
/** A delivery, and a payment, whose process died is free again soon. Stripe's pace is tested elsewhere. */
const settings = {
  ...{ LEASE_SECONDS: '4', ATTEMPT_TIMEOUT_SECONDS: '2', PROCESSOR_DEADLINE_MS: '2000', SIMULATED_SLOW_MS: '600' },
  ...{ STRIPE_REQUESTS_PER_SECOND: '1000' },
};

/** @param atStripe how many of the shops sell through Stripe, the others through the simulated processor */
export async function startWorld(random: Random, atStripe: number): Promise<World> {
  const receiver = await startReceiver();
  const calmReceiver = respondUnsteadily(receiver, random);
  const later = startLater();
  const stripe = await StripeStandIn.start(later);
  const postgres = await startOwnPostgres();
  const reached = { STRIPE_API_URL: stripe.url, ...later.settings, ...settings };
  const cluster = await startCluster({ settings: reached, postgres });
  const numbers = Array.from({ length: shopCount }, (_, n) => n);
  const keysOf = (n: number) => (n < shopCount - atStripe ? undefined : stripeKeys(stripe, n));
  const opened = { baseUrl: cluster.baseUrl, receiverUrl: receiver.url };
  const shops = await Promise.all(numbers.map((number) => openShop({ ...opened, number, keys: keysOf(number) })));
  return {
    ...{ cluster, postgres, later, receiver, stripe, shops, calmReceiver },
    close: async () => {
      await cluster.close();
      await postgres.close();
      await stripe.close();
      later.close();
      await receiver.close();
    },
  };
}

/** An account at Stripe of its own. */
function stripeKeys(stripe: StripeStandIn, number: number): StripeKeys {
  const secretKey = `sk_live_shop${number}`;
  stripe.accept(secretKey, `acct_shop${number}`);
  return { secretKey, webhookSecret: `whsec_shop${number}` };
}

/** Paths that end with `unsteady` are answered slowly or with an error now and then. */
function respondUnsteadily(receiver: Receiver, random: Random): () => void {
  const source = random.fork();
  let calm = false;
  receiver.respondWith(({ path }) => {
    if (calm || !path.endsWith('unsteady')) return { status: 200 };
    const chance = source.next();
    if (chance < 0.15) return { status: 500, body: 'It broke.' };
    return chance < 0.4 ? { status: 200, delayMs: 300 } : { status: 200 };
  });
  return () => {
    calm = true;
  };
}

const prices = [9_900, 4_900, 1_900, 19_000] as const;

interface Opening {
  readonly baseUrl: string;
  readonly receiverUrl: string;
  readonly number: number;
  readonly keys: StripeKeys | undefined;
}

async function openShop({ baseUrl, receiverUrl, number, keys }: Opening): Promise<Shop> {
  const seller = await signUp(baseUrl, `Shop ${number}`);
  const live = keys && { ...keys, publishableKey: `pk_live_shop${number}` };
  if (live !== undefined) await called(seller, 'PUT', '/api/v1/payment-processor', { processor: 'stripe', live });
  const post = (path: string, body: unknown) => called(seller, 'POST', path, body);
  const [plain, funnel, monthly, yearly] = prices;
  const products = [
    await addProduct(seller, { slug: 'plain', priceCents: plain }),
    await addProduct(seller, { slug: 'funnel', priceCents: funnel, offers: ['bumps', 'upsells'] }),
    await addProduct(seller, { slug: 'monthly', priceCents: monthly, interval: 'month', offers: ['bumps', 'upsells'] }),
    await addProduct(seller, { slug: 'yearly', priceCents: yearly, interval: 'year', offers: ['bumps'] }),
  ];
  const affiliate = { code: 'PARTNER', email: `partner-${number}@example.com`, percent: 20, renewalMonths: 3 };
  await post('/api/v1/affiliates', {
    ...{ code: affiliate.code, name: 'Partner', email: affiliate.email },
    ...{ commissionPercent: affiliate.percent, renewalMonths: affiliate.renewalMonths },
  });
  const [first] = products as [Product];
  const discount = { code: 'EARLY', productId: first.id, maxUses: 25 };
  await post(`/api/v1/products/${first.id}/discounts`, { code: discount.code, percentOff: 30, maxUses: 25 });
  const hooks = [`/${number}/steady`, `/${number}/unsteady`];
  await called(seller, 'PUT', '/api/v1/webhook-endpoint', { url: receiverUrl + hooks[0] });
  await post('/api/v1/webhook-endpoints', { url: receiverUrl + hooks[1] });
  // One shop keeps the usual limit of charges, and its runs are forced now and then.
  const shopSettings = { commissionHoldDays: 14, holdDecisionMinutes: 30, cancellationNotices: number % 2 === 1 };
  const changed = await called(seller, 'PATCH', '/api/v1/settings', {
    ...shopSettings,
    ...(number === 0 ? {} : { dailyChargeLimit: 0 }),
  });
  return { seller, stripe: keys, handle: changed.json.handle, products, affiliate, discount, hooks };
}

async function called(seller: Seller, method: string, path: string, body: unknown) {
  const answer = await seller.call(method, path, { body });
  if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
  return answer;
}

interface NewProduct {
  readonly slug: string;
  readonly priceCents: number;
  readonly interval?: 'month' | 'year';
  readonly offers?: readonly ('bumps' | 'upsells')[];
}

const headlines = {
  bumps: { headline: 'Guide', priceCents: 1_300 },
  upsells: { headline: 'Workbook', priceCents: 2_700 },
};

async function addProduct(seller: Seller, { slug, priceCents, interval, offers = [] }: NewProduct): Promise<Product> {
  const pricingType = interval === undefined ? 'onetime' : 'subscription';
  const { json } = await called(seller, 'POST', '/api/v1/products', {
    ...{ name: slug, slug, priceCents, currency: 'usd', pricingType, status: 'live' },
    ...(interval === undefined ? {} : { billingInterval: interval }),
  });
  const bumpIds: string[] = [];
  for (const offer of offers) {
    const made = await called(seller, 'POST', `/api/v1/products/${json.id}/${offer}`, headlines[offer]);
    if (offer === 'bumps') bumpIds.push(made.json.id);
  }
  return { id: json.id, slug, pricingType, bumpIds };
}
