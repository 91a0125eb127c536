import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, EventPayloads, Product, Subscription } from '../../../../clients/typescript/client.ts';

export type EventName = keyof EventPayloads;

export interface Causing {
  readonly client: Client;
  /** Of the product that is bought; the first that fits unless given. */
  readonly slug?: string | undefined;
  /** Lets the time of rehearsals pass, which never goes back. */
  readonly mayAdvance: boolean;
}

/** What is left to do where a command for developers cannot do it itself. */
class CannotCauseError extends Error {}

/** Makes an event of this name happen, as a rehearsal where it can, and says what was done. */
type Recipe = (causing: Causing) => Promise<string>;

const recipes: Readonly<Partial<Record<EventName, Recipe>>> = {
  'order.paid': async (causing) => {
    const { orderId, product } = await order(causing, 'onetime');
    return `A test order of ${product.name}: ${orderId}`;
  },
  'order.refunded': async (causing) => {
    const { orderId } = await order(causing, 'onetime');
    await causing.client.refundOrder({ orderId, body: {} });
    return `A test order, refunded: ${orderId}`;
  },
  'payment.refunded': async (causing) => {
    const { orderId } = await purchase(causing, false);
    await causing.client.refundOrder({ orderId, body: {} });
    return `A test purchase, refunded: ${orderId}`;
  },
  'upsell.accepted': async (causing) => {
    const { orderId } = await purchase(causing, true);
    return `A test purchase with its upsell: ${orderId}`;
  },
  'subscription.paused': async (causing) => {
    const { id } = await subscribe(causing);
    await causing.client.pauseSubscription({ subscriptionId: id });
    return `A test subscription, paused: ${id}`;
  },
  'subscription.resumed': async (causing) => {
    const { id } = await subscribe(causing);
    await causing.client.pauseSubscription({ subscriptionId: id });
    await causing.client.resumeSubscription({ subscriptionId: id });
    return `A test subscription, paused and resumed: ${id}`;
  },
  'subscription.canceled': async (causing) => {
    const { id } = await subscribe(causing);
    await causing.client.cancelSubscription({ subscriptionId: id, body: {} });
    return `A test subscription, canceled: ${id}`;
  },
  'withdrawal.requested': async (causing) => {
    const { orderId: bought, email } = await order(causing, 'onetime');
    const { handle } = await causing.client.getSettings();
    await causing.client.confirmWithdrawal({ body: { handle, name: 'Test Buyer', bought, email } });
    return `A withdrawal from a test order: ${bought}`;
  },
  'subscription.rebilled': (causing) => renew(causing, 'sim_ok'),
  'subscription.payment_failed': (causing) => renew(causing, 'sim_renewal_declined'),
};

/**
 * Makes an event happen: as a rehearsal, which charges nobody, where there can be one; else a sample goes to the connected URLs.
 * @throws CannotCauseError for what the account lacks
 */
export async function causeEvent(event: EventName, causing: Causing): Promise<string> {
  const recipe = recipes[event];
  return await (recipe === undefined ? sendSamples(event, causing) : recipe(causing));
}

const newEmail = (): string => `trigger-${randomBytes(6).toString('hex')}@example.com`;

async function productOf({ client, slug }: Causing, pricingType: Product['pricing_type']): Promise<Product> {
  const { data } = await client.listProducts();
  const fits = data.filter((each) => each.status === 'live' && each.pricing_type === pricingType);
  const found = slug === undefined ? fits[0] : fits.find((each) => each.slug === slug);
  if (found !== undefined) return found;
  const kind = pricingType === 'onetime' ? 'one-time product' : 'subscription';
  throw new CannotCauseError(
    slug === undefined
      ? `The account has no live ${kind}: make one first (POST /api/v1/products).`
      : `No live ${kind} of the account has the slug ${slug}.`,
  );
}

async function order(causing: Causing, pricingType: Product['pricing_type'], paymentMethod = 'sim_ok') {
  const product = await productOf(causing, pricingType);
  const email = newEmail();
  const body = { productSlug: product.slug, email, name: 'Test Buyer', paymentMethod, test: true };
  const { orderId } = await causing.client.createOrder({ body });
  return { orderId, product, email };
}

/** Buys through the checkout, as a buyer does: a rehearsal only while the account is in test mode. */
async function purchase(causing: Causing, acceptsUpsell: boolean): Promise<{ orderId: string }> {
  const { client } = causing;
  const { testMode, handle } = await client.getSettings();
  if (!testMode)
    throw new CannotCauseError(
      'This event needs a purchase: switch test mode on first (Settings, or PATCH /api/v1/settings).',
    );
  const { slug } = await productOf(causing, 'onetime');
  const { id: checkoutId, secret: checkoutSecret } = await client.openCheckout({
    body: { handle, slug, email: newEmail(), name: 'Test Buyer' },
  });
  const paid = await client.payCheckout({ checkoutId, body: { paymentMethod: 'sim_ok' } }, { checkoutSecret });
  if (paid.status === 'authorized')
    await client.decideUpsell({ checkoutId, body: { accept: acceptsUpsell } }, { checkoutSecret });
  else if (acceptsUpsell)
    throw new CannotCauseError(`${slug} has no upsell: add one, or name another product (--product).`);
  if (!paid.orderId) throw new CannotCauseError(`The test purchase is ${paid.status}.`);
  return { orderId: paid.orderId };
}

/** A subscription begins by the event of its order, within a moment. */
async function subscribe(causing: Causing, paymentMethod = 'sim_ok'): Promise<Subscription> {
  const { email } = await order(causing, 'subscription', paymentMethod);
  for (let attempt = 0; attempt < 150; attempt += 1) {
    const { data } = await causing.client.listSubscriptions({ query: { test: 'true', email } });
    if (data[0] !== undefined) return data[0];
    await sleep(200);
  }
  throw new CannotCauseError('The subscription of the test order has not begun within 30 seconds.');
}

const dayMs = 86_400_000;

async function renew(causing: Causing, paymentMethod: string): Promise<string> {
  if (!causing.mayAdvance)
    throw new CannotCauseError(
      'This event needs time to pass for all rehearsals of the account, which never goes back: add --advance.',
    );
  const { id, current_period_end: end } = await subscribe(causing, paymentMethod);
  const { now } = await causing.client.getRehearsal();
  const days = Math.max(1, Math.ceil((Date.parse(end) - Date.parse(now)) / dayMs));
  await causing.client.advanceRehearsal({ body: { days } });
  return `A test subscription, ${days} days later: ${id}`;
}

/** A rehearsal has no payouts, pushed emails or disputes. */
async function sendSamples(event: EventName, { client }: Causing): Promise<string> {
  const { data } = await client.listWebhookEndpoints();
  if (data.length === 0)
    throw new CannotCauseError(
      `No rehearsal has ${event}: a sample of it goes to connected URLs, and none is connected.`,
    );
  for (const { id } of data) await client.sendTestWebhook({ endpointId: id, body: { event } });
  return `A sample of ${event} to ${data.map(({ url }) => url).join(', ')}`;
}
