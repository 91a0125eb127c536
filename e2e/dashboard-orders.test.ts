import { orderPaid } from '@app/contracts/orders';
import { volume } from '@app/testing/long';
import { beforeAll, describe, expect, test } from 'vitest';
import { buyPatiently, openCheckout } from './support/buyer.ts';
import { downloaded, visitDashboard } from './support/dashboard-visits.ts';
import { moneyByOrder } from './support/processor-books.ts';
import { scripts } from './support/scripts.ts';
import { addProduct, signUp } from './support/seller.ts';
import { handle, platform, seller, signUpSeller } from './support/set-up.ts';
import { handled } from './support/waits.ts';

/** Guarantee: a seller finds an order in the browser, and gives back exactly the amounts that the buttons name, once. */
signUpSeller();

beforeAll(async () => {
  await addProduct(seller, 'course');
  const { productId } = await addProduct(seller, 'held');
  await seller.call('PATCH', `/api/v1/products/${productId}`, { body: { name: 'Workshop' } });
  const body = { headline: 'The workbook', priceCents: 2_900 };
  await seller.call('POST', `/api/v1/products/${productId}/upsells`, { body });
});

describe.each(scripts.slice(0, volume(1, 2)))('%s', (_, script) => {
  test('the hold of an order is released by the button that names it, and the order is found as ended', async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const wish = { handle, slug: 'held', email };
    const { orderId = '', status } = await buyPatiently(platform.baseUrl, { wish, card: 'sim_ok' });
    expect(status).toBe('authorized');
    const page = await visitDashboard(platform.baseUrl, seller, `/app/orders/${orderId}`, { script });
    await page.getByText('To end the order without a charge, release the hold.').textContent();
    await page.getByRole('link', { name: 'Release the hold' }).click();
    await page.getByRole('button', { name: `Release $99.00 to ${email}` }).click();
    await page.getByText('The order has ended unpaid').textContent();
    await page.getByText('$99.00 released from the buyer’s card.').textContent();
    expect((await moneyByOrder(platform.databaseUrl('billing'))).get(orderId)?.chargedCents ?? 0).toBe(0);
    await page.goto(`/app/orders/${orderId}/release`);
    await page.getByText('nothing can be released').textContent();
    await page.goto('/app/orders');
    expect(await page.getByRole('link', { name: email }).count()).toBe(0);
  });

  test('an order is found by its buyer, refunded in part, and then refunded whole', async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const wish = { handle, slug: 'course', email };
    const { orderId = '' } = await buyPatiently(platform.baseUrl, { wish, card: 'sim_ok' });
    const charged = async () => (await moneyByOrder(platform.databaseUrl('billing'))).get(orderId)?.chargedCents;
    const page = await visitDashboard(platform.baseUrl, seller, '/app/orders', {
      ...{ script, statuses: [404, 422], timeZone: 'Asia/Tokyo' },
    });
    const left = `${crypto.randomUUID()}@example.com`;
    await openCheckout(platform.baseUrl, Object.assign({}, wish, { email: left }));
    await page.getByRole('link', { name: 'Unpaid checkouts' }).click();
    await page.getByLabel('Status').selectOption({ label: 'Open' });
    await page.getByRole('button', { name: 'Search' }).last().click();
    await page.getByRole('row', { name: left }).getByText('Open').textContent();
    await page.getByLabel('Status').selectOption({ label: 'Stalled' });
    await page.getByRole('button', { name: 'Search' }).last().click();
    await page.getByText('No checkout matches.').textContent();
    await page.getByRole('link', { name: 'Orders', exact: true }).last().click();
    await page.getByLabel('Email, order number or name').fill(email);
    await page.getByRole('button', { name: 'Search' }).last().click();
    const file = await downloaded(page);
    expect(file.name).toMatch(/^orders-.*\.csv$/);
    expect(file.lines).toEqual([
      expect.stringMatching(/^\ufeffid,created_at,time_zone,/),
      expect.stringMatching(`^${orderId},.*,${script ? 'Asia/Tokyo' : 'UTC'},paid,.*,${email},`),
    ]);
    await page.getByRole('link', { name: email }).click();
    await page.getByText('$99.00 charged for the order.').textContent();

    await page.getByRole('link', { name: 'Refund', exact: true }).click();
    await page.getByRole('link', { name: 'One payment' }).click();
    await page.getByRole('link', { name: 'Charge of' }).click();
    await page.getByLabel('Amount').fill('100');
    await page.getByRole('button', { name: 'Use this amount' }).click();
    await page.getByText('The amount can be at most $99.00').textContent();
    await page.getByLabel('Amount').fill('20');
    await page.getByRole('button', { name: 'Use this amount' }).click();
    const part = { address: page.url(), key: await page.locator('main [name=key]').inputValue() };
    const otherTab = { key: 'other tab', cents: '2000', left: '9900' };
    await page.getByRole('button', { name: `Refund $20.00 to ${email}` }).click();
    await page.getByText('The money is on its way back to the buyer.').textContent();
    expect(await charged()).toBe(7_900);
    // The Back button shows the form as it was sent before.
    const again = { form: { key: part.key, cents: '2000', left: '9900' }, maxRedirects: 0 };
    const second = await page.request.post(part.address, again);
    expect([second.status(), second.headers().location, await charged()]).toEqual([
      303,
      `/app/orders/${orderId}?refund=done`,
      7_900,
    ]);

    // Neither does a tab that was opened before give the same part back once more.
    expect((await page.request.post(part.address, { form: otherTab })).status()).toBe(422);
    expect(await charged()).toBe(7_900);

    await page.getByRole('link', { name: 'Refund the rest' }).click();
    const whole = page.url();
    // A page that was opened before names an amount that is not left any more.
    const stale = await page.request.post(whole, { form: { key: 'stale', cents: '9900' } });
    expect([stale.status(), await charged()]).toEqual([422, 7_900]);
    await page.getByRole('button', { name: `Refund $79.00 to ${email}` }).click();
    await page.getByText('Refunded', { exact: true }).first().textContent();
    expect([await charged(), (await seller.call('GET', `/api/v1/orders/${orderId}`)).json.status]).toEqual([
      0,
      'refunded',
    ]);

    for (const [path, label] of [
      ['/app/buyers', 'Email'],
      ['/app/subscriptions', 'Email of the buyer'],
    ] as const) {
      await page.goto(`${path}?email=a%40b`);
      await page.getByText('Enter an email address').textContent();
      expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe('a@b');
    }

    await page.goto('/app/search');
    const typed = page.getByLabel('Email, name, code, order number or id');
    const search = async (text: string) => {
      await typed.fill(text);
      await page.getByRole('button', { name: 'Search' }).last().click();
    };
    await search('OURS');
    await page.getByRole('link', { name: 'Course /course' }).textContent();
    await search(`${email}.invalid`);
    await page.getByText('Nothing matches').textContent();
    if (script) {
      await page.locator('h1').click();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Show these shortcuts').textContent();
      await page.keyboard.press('Escape');
      await page.waitForURL('**/app/search?q=*invalid');
      await page.keyboard.press('/');
      await page.keyboard.type(email);
      await page.keyboard.press('Enter');
    } else {
      await page.goto('/app/keyboard');
      await page.locator('main').getByText('Show these shortcuts').textContent();
      await page.goto('/app/search');
      await search(email);
    }
    await page.getByRole('link', { name: email }).click();
    await page.waitForURL(`**/app/orders/${orderId}`);

    await handled('metrics', orderPaid, (data) => data.orderId === orderId);
    await page.goto('/app/metrics');
    await page.getByRole('link', { name: 'Course' }).click();
    await page.locator('main').getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByText('Show as a table').click();
    await page.getByRole('table').first().getByRole('link').last().click();
    await page.getByRole('heading', { name: /^What it is made of, / }).textContent();
    await page.locator(`a[href="/app/orders/${orderId}"]`).first().textContent();
    await page.goto(`${new URL(page.url()).pathname.replace('/orders', '/churn')}?months=24`);
    await page.getByRole('heading', { name: 'Churn: Course' }).textContent();
    expect(await page.locator('figure tbody tr').count()).toBe(24);

    // Another seller’s order is as unknown as one that never was.
    const stranger = await signUp(platform.baseUrl);
    const theirs = await visitDashboard(platform.baseUrl, stranger, '/app/orders', { script, statuses: [404] });
    for (const path of [`/app/orders/${orderId}`, `/app/orders/${orderId}/refund`]) {
      expect((await theirs.goto(path))?.status()).toBe(404);
      await theirs.getByRole('heading', { name: 'There is nothing here' }).textContent();
    }
    const unknown = `${platform.baseUrl}/app/subscriptions/sub_01jd2q5v8kfw9s3x6z7yabcdef`;
    expect((await theirs.request.post(unknown, { form: { do: 'nothing' } })).status()).toBe(404);
    const noZone = await theirs.request.get(`${platform.baseUrl}/app/orders/export?timeZone=Nowhere`);
    expect([noZone.status(), noZone.headers()['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  });
});
