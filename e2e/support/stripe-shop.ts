import { type PaymentIntent, StripeStandIn } from '@app/billing/stripe-stand-in';
import { openVisit, type Visit, type VisitOptions } from '@app/testing/browser/visit';
import { createTestNats } from '@app/testing/nats';
import { expect } from 'vitest';
import { startClusterOn } from './cluster.ts';
import { type Seller, signUp } from './seller.ts';
import { serveStripeJs, stripeApiOrigin, stripeOrigin } from './stripe-js.ts';

type Route = Parameters<Parameters<Visit['context']['route']>[1]>[0];
export type StripeShop = Awaited<ReturnType<typeof startStripeShop>>;

/** A platform whose seller takes live payments through a stand-in of Stripe. */
export async function startStripeShop(
  name: string,
  { settings = {}, webhookSecret }: { settings?: Record<string, string>; webhookSecret?: string } = {},
) {
  const secretKey = `sk_live_${name}`;
  const stripe = await StripeStandIn.start({ nowMs: () => Date.now() });
  stripe.accept(secretKey, `acct_${name}`);
  const withStripe = { STRIPE_API_URL: stripe.url, ...settings };
  const platform = await startClusterOn(await createTestNats(), { settings: withStripe, apart: [] });
  const seller: Seller = await signUp(platform.baseUrl, 'Atelier');
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
  const live = { secretKey, publishableKey: `pk_live_${name}`, ...(webhookSecret !== undefined && { webhookSecret }) };
  const put = await seller.call('PUT', '/api/v1/payment-processor', { body: { processor: 'stripe', live } });
  expect([put.status, put.text]).toEqual([200, expect.anything()]);

  /** A buyer's browser at a product. @param script what is served as Stripe's script in place of the stand-in */
  async function visit(
    slug: string,
    options: VisitOptions = {},
    of: string = handle,
    script?: (route: Route) => Promise<void>,
  ) {
    const origins = [stripeOrigin, stripeApiOrigin, new URL(stripe.url).origin];
    const { page, context } = await openVisit(platform.baseUrl, { ...options, origins });
    const requested = await serveStripeJs(context, stripe);
    if (script !== undefined) await context.route(`${stripeOrigin}/endive/stripe.js`, script);
    const response = await page.goto(`/c/${of}/${slug}`);
    const headers = (await response?.allHeaders()) ?? {};
    const { 'content-security-policy': policy = '', 'permissions-policy': permissions = '' } = headers;
    return { page, context, requested, policy, permissions };
  }
  return {
    ...{ stripe, platform, seller, handle: String(handle), secretKey, visit },
    intents: (): PaymentIntent[] => stripe.booksOf(secretKey).all<PaymentIntent>('payment_intent'),
    ordersOf: async (email: string) =>
      (await seller.call('GET', '/api/v1/orders')).json.data.filter(
        (order: { customer_email: string }) => order.customer_email === email,
      ),
    close: async () => {
      await platform.close();
      await stripe.close();
    },
  };
}
