import { orderPaid } from '@app/contracts/orders';
import { openVisit } from '@app/testing/browser/visit';
import { startReceiver } from '@app/testing/http-receiver';
import { expect, onTestFinished, test } from 'vitest';
import { furnish } from './support/furnished-shop.ts';
import { signUp } from './support/seller.ts';
import { sharedPlatform } from './support/shared-platform.ts';
import { handled } from './support/waits.ts';

/** Guarantee: Home says what waits for the seller and what sold, in the span that is chosen; a buyer's address leads to the customer. */
test('home leads to what waits, draws the chosen span, and lists each sale once; a buyer is a customer', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const { baseUrl } = await sharedPlatform();
  const seller = await signUp(baseUrl, 'Furnished');
  const page = async (path: string) => {
    const answer = await fetch(`${baseUrl}${path}`, { redirect: 'manual', headers: { cookie: seller.session } });
    return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') };
  };
  expect((await page('/app')).text).not.toContain('Needs you');
  const { page: open, context } = await openVisit(baseUrl);
  const [name = '', value = ''] = seller.session.split('=');
  await context.addCookies([{ name, value, url: baseUrl }]);
  await open.goto('/app');
  const ids = await furnish({ baseUrl, receiverUrl: receiver.url }, seller);
  await handled('metrics', orderPaid, (data) => data.orderId === ids.clubOrderId);

  const home = await page('/app');
  expect(home.text).toContain('Needs you');
  // A page that is open gets what waits by itself, and keeps the first steps.
  expect(await open.locator('#needs').isVisible()).toBe(false);
  await open.locator('#live').dispatchEvent('again');
  await open.locator('#needs').getByText('Card held: 1').textContent();
  await open.locator('#live').getByText('Latest sales').textContent();
  expect(await open.getByRole('heading', { name: 'First steps' }).count()).toBe(1);
  const held = /<a href="([^"]+)"><bdi>Card held: 1 \([^<]+\)<\/bdi><\/a>/.exec(home.text)?.[1] ?? '';
  expect((await page(held)).text).toContain(ids.heldOrderId);
  // A sale is one row, whatever became of it.
  await seller.call('POST', `/api/v1/orders/${ids.orderId}/refund`, { body: {} });
  const [, latest = ''] = (await page('/app')).text.split('Latest sales');
  expect(latest.split('Latest events')[0]?.split(`/app/orders/${ids.orderId}`)).toHaveLength(2);

  for (const [range, label] of [
    ['today', 'Today'],
    ['7d', '7 days'],
    ['12m', '12 months'],
    ['all', 'All'],
  ]) {
    const { status, text } = await page(`/app?range=${range}`);
    expect([range, status]).toEqual([range, 200]);
    expect(text).toMatch(new RegExp(`aria-current="page">${label}</a>`));
    expect(text.includes('<svg'), range).toBe(range !== 'today');
  }

  // The part that gets itself again has neither a frame nor what is done once.
  const live = await page('/app/live?range=7d&currency=usd');
  expect([live.status, live.text.includes('id="live"'), live.text.includes('Latest sales')]).toEqual([200, true, true]);
  expect(live.text).not.toMatch(/First steps|Log out/);
  const loggedOut = await fetch(`${baseUrl}/app/live?range=7d`, { redirect: 'manual' });
  expect(loggedOut.headers.get('location')).toBe('/login?next=%2Fapp%3Frange%3D7d');

  const { status, location } = await page('/app/buyers?email=VICTIM-buyer%40example.com');
  expect([status, location]).toEqual([303, `/app/orders/customers/${ids.customerId}`]);
  const customer = await page(location ?? '');
  expect(customer.text).toContain(ids.orderId);
  expect(customer.text).toContain(ids.subscriptionId);
  expect((await page('/app/orders/customers?q=victim-buyer%40example.com')).text).toContain(ids.customerId);
  expect((await page('/app/orders?dispute=open')).text).toContain('No order matches.');
});
