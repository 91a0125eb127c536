import type { EventData } from '@app/contracts/define';
import { orderPaid } from '@app/contracts/orders';
import { beforeAll, expect, test } from 'vitest';
import { portalSession } from './support/portal-session.ts';
import { type Answer, call, placeOrder } from './support/seller.ts';
import { platform, seller, signUpSeller } from './support/set-up.ts';
import { handled } from './support/waits.ts';

/** Guarantee: a buyer's new card replaces the one before it once it is saved, and not before. */
signUpSeller('Shop of cards');

beforeAll(async () => {
  const club = { name: 'Club', slug: 'club', priceCents: 900, currency: 'usd', pricingType: 'subscription' };
  await seller.call('POST', '/api/v1/products', { body: { ...club, billingInterval: 'month', status: 'live' } });
});

interface Buyer {
  read(): Promise<Answer['json']>;
  give(paymentMethod: string): Promise<Answer>;
  proceed(): Promise<Answer>;
}

/** A buyer whose subscription is charged to the card `sim_ok`, in the portal. */
async function subscribed(): Promise<Buyer> {
  const email = `${crypto.randomUUID()}@example.com`;
  const order = { productSlug: 'club', email, paymentMethod: 'sim_ok' };
  const orderId = await placeOrder(seller, order);
  await handled('billing', orderPaid, (data: EventData<typeof orderPaid>) => data.orderId === orderId);
  const { data } = (await seller.call('GET', `/api/v1/subscriptions?email=${email}`)).json;
  const secret = await portalSession(platform, seller.accountId, { email });
  const path = `/api/portal/subscriptions/${data[0].id}`;
  const send = (method: string, more = '', body?: unknown) =>
    call(platform.baseUrl, method, path + more, {
      headers: { 'x-portal-session': secret },
      ...(body === undefined ? {} : { body }),
    });
  return {
    read: async () => (await send('GET')).json,
    give: (paymentMethod) => send('PUT', '/payment-method', { paymentMethod }),
    proceed: () => send('POST', '/payment-method/continue'),
  };
}

test('a declined card is refused at its field and changes nothing; the next one is saved', async () => {
  const buyer = await subscribed();
  const { last_four: before } = await buyer.read();
  const declined = await buyer.give('sim_declined');
  expect([declined.status, declined.json]).toMatchObject([
    422,
    { code: 'card_declined', errors: [{ field: 'paymentMethod', code: 'card_declined' }] },
  ]);
  expect(await buyer.read()).toMatchObject({ last_four: before, card_change: { status: 'declined', url: null } });
  const saved = await buyer.give('sim_renewal_declined');
  expect([saved.status, saved.json.payment_method]).toEqual([200, { status: 'saved', url: null }]);
  const { last_four, card_change } = await buyer.read();
  expect([last_four, card_change]).toEqual([expect.stringMatching(/^\d{4}$/), null]);
});

test('a card that its bank wants confirmed leads back to its page of the portal, and is saved after that', async () => {
  const buyer = await subscribed();
  const requested = await buyer.give('sim_requires_action');
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
  expect(requested.json.payment_method.status).toBe('requires_action');
  expect(requested.json.payment_method.url).toContain(`/p/${handle}/subscriptions/${requested.json.id}/card?`);
  expect((await buyer.read()).card_change).toEqual(requested.json.payment_method);
  const saved = await buyer.proceed();
  expect(saved.json.payment_method).toEqual({ status: 'saved', url: null });
  expect((await buyer.read()).card_change).toBeNull();
});

test('without a new card there is none to check', async () => {
  const { status, json } = await (await subscribed()).proceed();
  expect([status, json.code]).toEqual([409, 'invalid_transition']);
});
