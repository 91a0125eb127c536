import { orderPaid } from '@app/contracts/orders';
import { portalSession } from './portal-session.ts';
import { placeOrder } from './seller.ts';
import { sharedPlatform } from './shared-platform.ts';
import { startShop } from './shop.ts';
import { handled } from './waits.ts';

export interface OpenedPortal {
  readonly baseUrl: string;
  /** What the API wants with each call of the buyer. */
  readonly secret: string;
  /** What the browser keeps. */
  readonly cookie: { readonly name: string; readonly value: string; readonly url: string };
  /** Each page, with the addresses of the same data as JSON. */
  readonly pages: readonly { readonly name: string; readonly path: string; readonly json: readonly string[] }[];
}

/** A buyer with an order and a subscription, whose browser has opened their purchases. */
export async function openedPortal(): Promise<OpenedPortal> {
  const { baseUrl, seller, handle, slug } = await startShop();
  const club = { name: 'The open studio', slug: 'club', priceCents: 2_900, currency: 'usd', status: 'live' };
  const product = { ...club, pricingType: 'subscription', billingInterval: 'month' };
  await seller.call('POST', '/api/v1/products', { body: product });
  const email = `${crypto.randomUUID()}@example.com`;
  const buy = async (productSlug: string, more: object = {}): Promise<string> =>
    placeOrder(seller, { productSlug, email, ...more });
  const bought = await buy(slug);
  const subscribed = await buy('club', { paymentMethod: 'sim_ok' });
  await handled('billing', orderPaid, (data) => data.orderId === subscribed);
  const { data } = (await seller.call('GET', `/api/v1/subscriptions?email=${email}`)).json;
  const secret = await portalSession(await sharedPlatform(), seller.accountId, { email });
  const value = encodeURIComponent(`${secret}.${handle}.${email}`);
  const page = `/p/${handle}`;
  const [order, subscription] = [`/orders/${bought}`, `/subscriptions/${data[0].id}`];
  return {
    baseUrl,
    secret,
    cookie: { name: `fnl_portal_${handle}`, value, url: baseUrl },
    pages: [
      { name: 'purchases', path: page, json: ['/api/portal/orders', '/api/portal/subscriptions'] },
      { name: 'receipt', path: page + order, json: [`/api/portal${order}`] },
      { name: 'subscription', path: page + subscription, json: [`/api/portal${subscription}`] },
      { name: 'card', path: `${page}${subscription}/card`, json: [`/api/portal${subscription}`] },
      { name: 'cancel', path: `${page}${subscription}/cancel`, json: [`/api/portal${subscription}`] },
    ],
  };
}
