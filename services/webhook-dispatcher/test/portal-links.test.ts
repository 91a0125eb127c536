import { createAutomation, previewAutomation, testAutomation, updateAutomation } from '@app/contracts/automations';
import { dayMs } from '@app/contracts/durations';
import { DomainError } from '@app/contracts/errors';
import { createPortalLink } from '@app/contracts/portal';
import { subscriptionPaymentFailed } from '@app/contracts/subscriptions';
import { onRequest } from '@app/messaging/serve-requests';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { builtInId } from '../src/automations/automation-row.ts';
import type { Harness } from './harness.ts';
import { harness, seller, server, startMailService } from './mail-set-up.ts';

startMailService();

const orderId = 'ord_01kex0000000000000000000aa';
const subscriptionId = 'sub_01kex0000000000000000000aa';
const email = 'ada@example.com';
let gateway: Awaited<ReturnType<Harness['serveAsGateway']>> | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

/** The requests that the gateway got, with the accounts. */
async function serveLinks(refuse?: DomainError) {
  const requested: unknown[] = [];
  gateway = await harness.serveAsGateway([
    onRequest(createPortalLink, async (input, { accountId }) => {
      requested.push({ accountId, ...input });
      if (refuse !== undefined) throw refuse;
      const kind = input.subscriptionId === null ? 'all' : 'card';
      return { url: `https://funnels.example/p/maya/open/${kind}`, expiresAt: harness.clock.now().toISOString() };
    }),
  ]);
  return requested;
}

const failed = (nextTryDays: number, attempt = 1, of: { readonly test?: boolean; readonly failedAt?: string } = {}) =>
  harness.publish(subscriptionPaymentFailed, seller.account, {
    subscriptionId,
    orderId,
    productId: 'prd_01kex0000000000000000000aa',
    productName: 'Club',
    customerEmail: email,
    amountCents: 900,
    currency: 'usd',
    billingInterval: 'month',
    mrrCents: 900,
    test: false,
    paymentId: null,
    period: 2,
    attempt,
    nextTryDays,
    statusBefore: 'active',
    statusAfter: 'past_due',
    reason: 'card_declined',
    failedAt: harness.clock.now().toISOString(),
    ...of,
  });
// The seller's own notice has no link.
beforeEach(async () => {
  const automationId = builtInId(seller.account, 'renewal_failed_notice');
  await harness.request(updateAutomation, seller.account, { automationId, body: { active: false } });
});

const texts = () => server.received.map(({ text }) => text.replaceAll('=\r\n', ''));

test('the notice of a failed renewal leads to the card’s page, with a link that works until the next attempt', async () => {
  const requested = await serveLinks();
  const sentMs = harness.clock.nowMs();
  await failed(3);
  await seller.tried(1);
  expect(texts()).toEqual([expect.stringContaining('or use another one: https://funnels.example/p/maya/open/card')]);
  const validUntil = new Date(sentMs + 4 * dayMs).toISOString();
  expect(requested).toEqual([{ accountId: seller.account, email, subscriptionId, validUntil }]);
});

test('the link of a rehearsal’s email, which is of a later year, works no longer than any', async () => {
  const requested = await serveLinks();
  await failed(3, 1, { test: true, failedAt: '2028-03-01T12:00:00.000Z' });
  await seller.tried(1);
  expect(texts()[0]).toContain('We try again on 4 Mar 2028.');
  expect(requested).toMatchObject([{ validUntil: null }]);
});

test('the email of the failure that ends a subscription leads to the product, and no link to a card is made', async () => {
  const requested = await serveLinks();
  await failed(0, 4);
  await seller.tried(1);
  expect(texts()[0]).toContain('Your subscription has ended.');
  expect(texts()[0]).toContain('/c/maya/prd_01kex0000000000000000000aa');
  expect(texts()[0]).not.toMatch(/another one|try again/);
  expect(requested).toEqual([]);
});

test('while a paused subscription is not tried the link works as long as any, and where there is nothing to lead to its line is left out', async () => {
  const requested = await serveLinks(new DomainError('buyer_not_found', 'No such buyer.'));
  await failed(0);
  await seller.tried(1);
  expect(requested).toMatchObject([{ validUntil: null }]);
  expect(texts()[0]).toContain('did not go through');
  expect(texts()[0]).not.toContain('another one');
});

test('while the gateway is away the email waits, and it goes out with its link later', async () => {
  await failed(3);
  await seller.tried(1);
  expect(server.received).toEqual([]);
  expect(await seller.runs()).toMatchObject([{ status: 'pending' }]);
  await serveLinks();
  harness.clock.advance(dayMs);
  harness.wake();
  await seller.tried(2);
  expect(texts()).toEqual([expect.stringContaining('/p/maya/open/card')]);
});

test('the notice of a sale, live or rehearsed, leads to the order, and a test of the automation to none', async () => {
  const lastText = () => texts().at(-1) ?? '';
  await harness.request(updateAutomation, seller.account, {
    automationId: builtInId(seller.account, 'receipt'),
    body: { active: false },
  });
  for (const rehearsed of [false, true]) {
    await seller.sell({ orderId, test: rehearsed });
    await seller.tried(rehearsed ? 2 : 1);
    expect(lastText()).toContain(`\nSee the order: http://127.0.0.1:3000/app/orders/${orderId}`);
  }
  const automationId = builtInId(seller.account, 'sale_notice');
  const account = { businessName: 'Maya', supportEmail: 'help@maya.example' };
  await harness.request(testAutomation, seller.account, { automationId, account });
  await seller.tried(3);
  expect(lastText()).toContain('Total  $68.00');
  expect(lastText()).not.toMatch(/See the order|app\/orders/);
});

test('only emails to the buyer lead to the portal, the card’s for events of a subscription alone; a preview’s lead nowhere', async () => {
  const requested = await serveLinks();
  const action = (to: 'buyer' | 'seller', body: string) => ({ type: 'email', to, subject: 'x', body }) as const;
  const add = (event: 'order.paid', to: 'buyer' | 'seller', body: string) =>
    harness.request(createAutomation, seller.account, { body: { name: 'Mine', event, action: action(to, body) } });
  const refused = { errors: [{ field: 'action.body' }] };
  await expect(add('order.paid', 'seller', '{{portalUrl}}')).rejects.toMatchObject(refused);
  await expect(add('order.paid', 'buyer', '{{cardUrl}}')).rejects.toMatchObject(refused);
  const account = { businessName: 'Maya', supportEmail: 'help@maya.example' };
  const body = { event: 'subscription.paused', action: action('buyer', '{{portalUrl}} {{cardUrl}}') } as const;
  const { text } = await harness.request(previewAutomation, seller.account, { body, account });
  expect(text).toMatch(/^https:\/\/funnels\.example\/p\/maya-paints\/open\/sample .*sample-card\n$/);
  expect(requested).toEqual([]);
});

test.each([
  [true, 'help@maya.example'],
  [false, 'maya@maya.example'],
])(
  'a preview of an email to the seller names where it would go: with a confirmed address for support (%s) %s',
  async (supportEmailVerified, to) => {
    const account = {
      businessName: 'Maya',
      supportEmail: 'help@maya.example',
      supportEmailVerified,
      email: 'maya@maya.example',
    };
    const action = { type: 'email', to: 'seller', subject: 'x', body: 'y' } as const;
    const previewed = harness.request(previewAutomation, seller.account, {
      body: { event: 'order.paid', action },
      account,
    });
    expect(await previewed).toMatchObject({ to });
  },
);
