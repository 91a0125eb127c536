import { startReceiver } from '@app/testing/http-receiver';
import { volume } from '@app/testing/long';
import { announced } from '@app/testing/points';
import { attemptsRecorded } from '@app/webhook-dispatcher/points';
import { beforeAll, describe, expect, test } from 'vitest';
import { confirmAs, visitDashboard } from './support/dashboard-visits.ts';
import { scripts } from './support/scripts.ts';
import { addProduct, type Seller, signUp } from './support/seller.ts';
import { type SharedPlatform, sharedPlatform } from './support/shared-platform.ts';

/** Guarantee: a seller with a browser sees why a webhook did not arrive, sends it again, and makes automations. */
let platform: SharedPlatform;

beforeAll(async () => {
  platform = await sharedPlatform();
});

async function sellerOfCourse(): Promise<Seller> {
  const seller = await signUp(platform.baseUrl);
  await addProduct(seller, 'course');
  return seller;
}

/** An order, once its webhook has had an answer. */
async function attemptedOrderOf(seller: Seller, email: string): Promise<void> {
  const attempted = announced(attemptsRecorded, ({ attempts }) =>
    attempts.some(({ accountId }) => accountId === seller.accountId),
  );
  const order = { productSlug: 'course', email };
  expect((await seller.call('POST', '/api/v1/orders', { body: order })).status).toBe(200);
  await attempted;
}

describe.each(scripts.slice(0, volume(1, 2)))('%s', (_, script) => {
  test('a delivery is explained and sent again', async () => {
    const notFound = { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>No such page</h1>' };
    const receiver = await startReceiver({ respond: () => notFound });
    const seller = await sellerOfCourse();
    const page = await visitDashboard(platform.baseUrl, seller, '/app/integrations/webhooks/new', {
      ...{ script, statuses: [403] },
    });
    await page.getByLabel('URL').fill(`${receiver.url}/sales`);
    await page.getByLabel('Name').fill('The members’ site');
    await page.getByRole('button', { name: 'Add the endpoint' }).click();
    await confirmAs(page);
    expect(await page.getByLabel('Signing secret').inputValue()).toMatch(/^whsec_/);

    await attemptedOrderOf(seller, 'ada@example.com');
    await page.goto('/app/activity');
    await page.getByRole('link', { name: 'Order paid · ada@example.com · Course · $' }).click();
    await page.getByText('What to do').textContent();
    await page.getByText('Answer: 404').textContent();
    for (const text of ['<h1>No such page</h1>', 'POST /sales HTTP/1.1', '"email": "ada@example.com"'])
      expect(await page.getByText(text).count()).toBeGreaterThan(0);

    receiver.respondWith(() => ({ status: 200, body: 'thank you' }));
    await page.getByRole('button', { name: 'Send it again' }).click();
    await page.getByText(/^Delivered at attempt \d\.$/).textContent();
    expect(await page.getByText('thank you').count()).toBeGreaterThan(0);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('the first page shows what happens while it is open', async () => {
    const receiver = await startReceiver();
    const seller = await sellerOfCourse();
    const page = await visitDashboard(platform.baseUrl, seller, '/app/integrations/webhooks/new', {
      ...{ script, statuses: [403] },
    });
    await page.getByLabel('URL').fill(`${receiver.url}/sales`);
    await page.getByRole('button', { name: 'Add the endpoint' }).click();
    await confirmAs(page);
    await page.getByLabel('Signing secret').inputValue();
    if (script) await page.clock.install();
    await page.goto('/app');
    const email = `${crypto.randomUUID()}@example.com`;
    await attemptedOrderOf(seller, email);
    if (script) await page.clock.fastForward(61_000);
    else await page.reload();
    const sold = page.getByRole('link', { name: `${email} · Course` });
    await sold.textContent();
    await page.getByRole('link', { name: 'All events' }).click();
    await page.waitForURL('**/app/activity/events');
    await sold.click();
    await page.waitForURL('**/app/orders/ord_*');
  });

  test('automations are made with a preview, run by a sale, tested, given another secret and removed', async () => {
    const receiver = await startReceiver();
    const seller = await sellerOfCourse();
    const page = await visitDashboard(platform.baseUrl, seller, '/app/integrations/automations', {
      ...{ script, statuses: [403] },
    });
    await page.getByRole('link', { name: 'Add an automation' }).click();
    await page.getByLabel('Name').fill('Welcome');
    const preview = page.locator('#preview');
    for (const [text, shown] of [
      ['Hello {{frstName}}', /\{\{frstName\}\}, which this event does not have/],
      ['Hello {{firstName}}, enjoy {{product}}.', 'Hello Maya, enjoy Watercolour Course.'],
    ] as const) {
      await page.getByLabel('Text').fill(text);
      if (!script) await page.getByRole('button', { name: 'Update the preview' }).click();
      await preview.getByText(shown).first().textContent();
    }
    expect(await page.getByLabel('Name').inputValue()).toBe('Welcome');
    await page.getByRole('button', { name: 'Add the automation' }).click();
    await page.getByText('The automation is made').textContent();
    await page.getByText('No mail server is set up here').textContent();
    await page.getByText('Hello Maya, enjoy Watercolour Course.').textContent();

    await page.goto('/app/integrations/automations/new');
    await page.getByRole('link', { name: 'Send to a URL' }).click();
    await page.getByLabel('Name').fill('Notify the warehouse');
    await page.getByLabel('URL').fill(`${receiver.url}/warehouse`);
    await page.getByRole('button', { name: 'Add the automation' }).click();
    await confirmAs(page);
    const secret = await page.getByLabel('Signing secret').inputValue();
    expect(secret).toMatch(/^whsec_/);

    const address = (await page.getByRole('link', { name: 'Open the automation' }).getAttribute('href')) ?? '';

    const order = { productSlug: 'course', email: 'grace@example.com' };
    expect((await seller.call('POST', '/api/v1/orders', { body: order })).status).toBe(200);
    await announced(attemptsRecorded, ({ attempts }) =>
      attempts.some(({ endpointId, delivered }) => delivered && address.endsWith(endpointId)),
    );
    await page.goto(address);
    await page
      .getByRole('row', { name: /Order paid.*Delivered/ })
      .getByRole('link')
      .click();
    await page
      .getByText(/"email": "grace@example.com"/)
      .first()
      .textContent();

    await page.goto(address);
    await page.getByRole('link', { name: 'Send a test' }).click();
    await page.getByRole('button', { name: 'Send the test' }).click();
    await page.getByText('It is a test.').textContent();
    expect(await page.getByRole('link', { name: 'Open the order' }).count()).toBe(0);

    await page.goto(`${address}/secret`);
    await page.getByLabel('Your password').fill('a long enough password');
    await page.getByRole('button', { name: 'Show the secret' }).click();
    expect(await page.getByLabel('Signing secret').inputValue()).toBe(secret);
    await page.goto(`${address}/secret`);
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    expect(await page.getByLabel('Signing secret').inputValue()).not.toBe(secret);

    await page.goto(address);
    await page.getByRole('link', { name: 'Switch it off' }).click();
    await page.getByRole('button', { name: 'Switch it off' }).click();
    await page.getByText('You switched it off').textContent();
    await page.getByRole('link', { name: 'Remove it' }).click();
    await page.getByRole('button', { name: 'Remove Notify the warehouse' }).click();
    await page.getByRole('link', { name: 'Receipt to the buyer' }).textContent();
    expect(await page.getByText('Notify the warehouse').count()).toBe(0);
  });
});
