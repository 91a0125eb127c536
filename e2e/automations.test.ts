import { dayMs } from '@app/contracts/durations';
import { orderPaid } from '@app/contracts/orders';
import { openVisit } from '@app/testing/browser/visit';
import { createTestNats } from '@app/testing/nats';
import { startSmtpServer } from '@app/testing/smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCheckout } from './support/buyer.ts';
import { type Cluster, startClusterOn } from './support/cluster.ts';
import { answerAt, verifyAddress } from './support/letters.ts';
import { openLink } from './support/portal-visits.ts';
import { addProduct, placeOrder, type Seller, signUp } from './support/seller.ts';
import { attempted, handled } from './support/waits.ts';

let server: Awaited<ReturnType<typeof startSmtpServer>>;
let cluster: Pick<Cluster, 'baseUrl' | 'close'>;
let seller: Seller;
let handle: string;
beforeAll(async () => {
  server = await startSmtpServer();
  // Of its own: with a mail server every shop's automations write emails.
  const settings = { SMTP_URL: server.url, EMAIL_FROM: 'mail@platform.example' };
  cluster = await startClusterOn(await createTestNats(), { settings, apart: [] });
  seller = await signUp(cluster.baseUrl);
  await verifyAddress(cluster.baseUrl, seller, server);
  await addProduct(seller);
  handle = (await seller.call('PATCH', '/api/v1/settings', { body: { businessName: 'Ada & Co' } })).json.handle;
  await answerAt(cluster.baseUrl, seller, 'help@ada.example', server);
});
afterAll(async () => {
  await cluster.close();
  await server.close();
});

/** Without the letter by which an address for support confirms. */
const emailsTo = (to: string) =>
  server.received.filter((email) => email.to === to && !email.text.includes('/letters/'));
const runsOf = async (automationId: string) =>
  (await seller.call('GET', `/api/v1/webhook-deliveries?endpointId=${automationId}`)).json.data;

test('a checkout sale and a recorded order both send a receipt and a notice, and every run is in activity', async () => {
  const { data } = (await seller.call('GET', '/api/v1/automations')).json;
  const receipt = data.find(({ built_in }: { built_in: string }) => built_in === 'receipt');
  expect(receipt).toMatchObject({ active: true, available: true, event: 'order.paid' });
  const checkout = await openCheckout(cluster.baseUrl, { handle, slug: 'course', email: 'bob@example.com' });
  expect((await checkout.call('POST', '/pay', { paymentMethod: 'sim_ok' })).json.status).toBe('paid');
  const order = { productSlug: 'course', email: 'eve@example.com' };
  expect((await seller.call('POST', '/api/v1/orders', { body: order })).status).toBe(200);
  await attempted(seller.accountId, 4);
  for (const buyer of ['bob@example.com', 'eve@example.com']) expect(emailsTo(buyer)).toHaveLength(1);
  expect(emailsTo('help@ada.example')).toHaveLength(2);
  expect(await runsOf(receipt.id)).toMatchObject([
    { status: 'delivered', email: 'eve@example.com' },
    { status: 'delivered', email: 'bob@example.com' },
  ]);
  const activity = (await seller.call('GET', '/api/v1/activity')).json.data;
  const attempts = activity.filter(({ kind }: { kind: string }) => kind === 'automation_attempt');
  expect(attempts).toHaveLength(4);
  expect(attempts.map(({ url }: { url: string }) => url)).toContain('mailto:bob@example.com');
});

test('a template is checked, previewed and tested before a buyer sees it', async () => {
  const action = {
    type: 'email',
    to: 'buyer',
    subject: 'Hi {{firstName}}',
    body: 'Bought at {{businessName}}: {{prodct}}',
  };
  const automation = { name: 'Hello', event: 'order.paid', action };
  const refused = await seller.call('POST', '/api/v1/automations', { body: automation });
  expect(refused).toMatchObject({ status: 422, json: { errors: [{ field: 'action.body' }] } });
  expect(refused.json.detail).toMatch(/\{\{prodct\}\}.*The fields are event, orderId, product,/);
  const good = { ...action, body: 'Bought at {{businessName}}: {{product}}' };
  const preview = await seller.call('POST', '/api/v1/automations/preview', {
    body: { event: 'order.paid', action: good },
  });
  expect(preview.json).toMatchObject({
    to: 'maya@example.com',
    subject: 'Hi Maya',
    text: expect.stringMatching(
      /^Bought at Ada & Co: Watercolour Course\n\nWithdraw from contract here: http.*\/p\/test-seller\/withdraw\n$/,
    ),
  });
  const made = await seller.call('POST', '/api/v1/automations', { body: { ...automation, action: good } });
  const tested = await seller.call('POST', `/api/v1/automations/${made.json.id}/test`);
  expect(tested).toMatchObject({ status: 200, json: { test: true, endpoint_id: made.json.id, event: 'order.paid' } });
  const [email] = await server.receivedEmails(1, ({ text }) => text.includes('Subject: [Test] Hi Maya'));
  expect(email?.to).toBe(seller.email);
  expect(emailsTo('maya@example.com')).toEqual([]);
  // An attempt is no event of the account.
  const { data } = (await seller.call('GET', '/api/v1/events')).json;
  expect(data.every(({ test }: { test: boolean }) => !test)).toBe(true);
  await seller.call('PATCH', `/api/v1/automations/${made.json.id}`, { body: { active: false } });
  expect((await seller.call('POST', `/api/v1/automations/${made.json.id}/test`)).json.code).toBe('invalid_transition');
  expect((await seller.call('DELETE', `/api/v1/automations/${made.json.id}`)).json).toEqual({ ok: true });
});

test.each([
  ['productId', { event: 'affiliate.paid', productId: 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg' }],
  ['action.to', { event: 'affiliate.paid', action: { type: 'email', to: 'buyer', subject: 'x', body: 'x' } }],
  ['action.url', { action: { type: 'post', url: 'http://10.0.0.1/' } }],
])('what an automation cannot do is refused, and %s is named', async (field, change) => {
  const action = { type: 'email', to: 'seller', subject: 'x', body: 'x' };
  const body = { name: 'No', event: 'order.paid', action, ...change };
  const refused = await seller.call('POST', '/api/v1/automations', { body });
  expect(refused).toMatchObject({ status: 422, json: { errors: [{ field }] } });
});

test('a built-in automation is switched off, and not deleted or sent to another address', async () => {
  const { data } = (await seller.call('GET', '/api/v1/automations')).json;
  const notice = data.find(({ built_in }: { built_in: string }) => built_in === 'sale_notice');
  const path = `/api/v1/automations/${notice.id}`;
  expect((await seller.call('DELETE', path)).json.code).toBe('invalid_transition');
  const toBuyer = { action: { ...notice.action, to: 'buyer' } };
  expect((await seller.call('PATCH', path, { body: toBuyer })).json.errors).toMatchObject([{ field: 'action.to' }]);
  expect((await seller.call('PATCH', path, { body: { name: 'Mine' } })).json.errors).toMatchObject([{ field: 'name' }]);
  expect((await seller.call('PATCH', path, { body: { active: false } })).json).toMatchObject({ active: false });
});

test('the emails and the portal of a rehearsed year name its days', async () => {
  const rehearsing = await signUp(cluster.baseUrl);
  await verifyAddress(cluster.baseUrl, rehearsing, server);
  const club = { name: 'Club', slug: 'club', priceCents: 1_900, currency: 'usd', status: 'live' };
  const body = { ...club, pricingType: 'subscription', billingInterval: 'month' };
  expect((await rehearsing.call('POST', '/api/v1/products', { body })).status).toBe(200);
  const email = 'buyer@example.com';
  const subscribed = async (paymentMethod: string) => {
    const orderId = await placeOrder(rehearsing, { productSlug: 'club', email, paymentMethod, test: true });
    await handled('billing', orderPaid, (data) => data.orderId === orderId);
    return async () => (await rehearsing.call('GET', `/api/v1/subscriptions/sub_${orderId.slice(4)}`)).json;
  };
  const [renewed, declined] = [await subscribed('sim_ok'), await subscribed('sim_renewal_declined')];
  const advanced = await rehearsing.call('POST', '/api/v1/rehearsal/advance', { body: { days: 366 } });
  expect(advanced.json).toMatchObject({ rebills: { charged: 12, retried: 3, canceled: 1 } });
  // Two sales with a receipt and a notice each; four failures as well.
  await attempted(rehearsing.accountId, 2 * 2 + 12 + 4 * 2);
  const textsOf = (subject: string) =>
    emailsTo(rehearsing.email)
      .map(({ text }) => text.replaceAll('=\r\n', ''))
      .filter((text) => text.includes(`Subject: [Test] ${subject}`));
  const renewals: { created_at: string }[] = (await renewed()).payments;
  // The body's, unlike the header's, begins with the day.
  const receipts = textsOf('Receipt: $19.00').filter((text) => text.includes('was renewed'));
  expect(receipts.map((text) => /^Date: (\d.*)\r$/m.exec(text)?.[1]).toSorted()).toEqual(
    renewals.map(({ created_at }) => dayOf(created_at)).toSorted(),
  );
  const failures: { created_at: string; try_no: number }[] = (await declined()).payments;
  const announcedDays = textsOf('Your payment for Club').map(
    (text) => /We try again on (.*)\. Nothing/.exec(text)?.[1],
  );
  expect(announcedDays.toSorted()).toEqual(
    failures
      .filter(({ try_no }) => try_no < 4)
      .map(({ created_at }) => dayOf(created_at, 3))
      .toSorted(),
  );
  // The portal shows rehearsals in test mode alone.
  await rehearsing.call('PATCH', '/api/v1/settings', { body: { testMode: true } });
  const { url } = (await rehearsing.call('POST', '/api/v1/portal-links', { body: { email } })).json;
  const { page } = await openVisit(cluster.baseUrl, { script: false });
  await openLink(page, new URL(url).pathname);
  await page.getByRole('link', { name: 'every month' }).first().click();
  for (const { created_at } of renewals) expect(await page.locator(`time[datetime="${created_at}"]`).count()).toBe(1);
});

/** As emails write it. @param later days after the time */
const dayOf = (time: string, later = 0): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(Date.parse(time) + later * dayMs),
  );
