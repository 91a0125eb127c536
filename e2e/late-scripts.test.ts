import { openVisit, type Visit } from '@app/testing/browser/visit';
import { beforeAll, expect, test } from 'vitest';
import { visitDashboard } from './support/dashboard-visits.ts';
import { addProduct } from './support/seller.ts';
import { handle, platform, seller, signUpSeller } from './support/set-up.ts';

/** Guarantee: a bump that is ticked, and a text that is typed, before a page's scripts have come is in its total, and in its preview. */
signUpSeller();

let productId: string;
beforeAll(async () => {
  ({ productId } = await addProduct(seller, 'early'));
});

/** Opens a page whose scripts of that name come only once it is called, whatever the browser has of them. */
async function openWithout(scripts: string, page: Visit['page'], path: string): Promise<() => void> {
  const { promise: letIn, resolve } = Promise.withResolvers<void>();
  await page.route(`**/${scripts}`, async (route) => {
    await letIn;
    await route.continue();
  });
  await page.goto(path, { waitUntil: 'commit' });
  return resolve;
}

/** A checkout whose scripts have not come, and the email address of each form that it sends. */
async function openCheckout(scripts: string) {
  const { page } = await openVisit(platform.baseUrl, { statuses: [422] });
  const sent: string[] = [];
  page.on('request', (request) => {
    const email = new URLSearchParams(request.postData() ?? '').get('email');
    if (email !== null) sent.push(email);
  });
  return { page, sent, letIn: await openWithout(scripts, page, `/c/${handle}/early`) };
}

test('a bump that was ticked is in the total', async () => {
  const { page, letIn } = await openCheckout('*.js');
  await page.getByText('Guide').click();
  await page.getByLabel('Name').focus();
  letIn();
  await page.getByRole('button', { name: 'Pay $118.00' }).textContent();
  expect(await page.getByRole('checkbox', { name: 'Guide' }).isChecked()).toBe(true);
});

test('half an address is not judged while it is typed', async () => {
  const { page, sent, letIn } = await openCheckout('*.js');
  await page.getByText('Guide').click();
  await page.getByLabel('Email').pressSequentially('ada');
  letIn();
  await page.waitForLoadState('load');
  await page.getByLabel('Email').pressSequentially('@example');
  expect(sent).toEqual([]);
  await page.getByLabel('Name').focus();
  await page.getByText('Enter an email address, like ada@example.com.').textContent();
  await page.getByRole('button', { name: 'Pay $118.00' }).textContent();
  expect(sent).toEqual(['ada@example']);
});

test('a form that is under way is not sent again', async () => {
  const { page, sent, letIn } = await openCheckout('checkout.js');
  const { promise: answer, resolve: letAnswer } = Promise.withResolvers<void>();
  await page.route('**/c/**', async (route) => {
    await answer;
    await route.continue();
  });
  await page.locator('#order-form[data-htmx-powered]').textContent();
  await page.getByText('Guide').click();
  letIn();
  await page.waitForLoadState('load');
  letAnswer();
  await page.getByRole('button', { name: 'Pay $118.00' }).textContent();
  expect(sent).toEqual(['']);
});

test('the text of an automation is in its preview', async () => {
  const page = await visitDashboard(platform.baseUrl, seller, '/app/integrations/automations');
  const letIn = await openWithout('*.js', page, '/app/integrations/automations/new');
  await page.getByLabel('Text').fill('Hello {{firstName}}, enjoy {{product}}.');
  letIn();
  await page.locator('#preview').getByText('Hello Maya, enjoy Watercolour Course.').textContent();
});

test('the name of a product is in its preview', async () => {
  const page = await visitDashboard(platform.baseUrl, seller, '/app/products');
  const letIn = await openWithout('*.js', page, `/app/products/${productId}`);
  await page.getByLabel('Name', { exact: true }).fill('Painting by the sea');
  letIn();
  await page.frameLocator('iframe').getByText('Painting by the sea').first().textContent();
});

test('the preview of a product in whose form nothing was typed is drawn once', async () => {
  const page = await visitDashboard(platform.baseUrl, seller, '/app/products');
  const drawn: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') drawn.push(new URLSearchParams(request.postData() ?? '').get('name') ?? '');
  });
  await page.goto(`/app/products/${productId}`);
  // As long as the preview waits for the next key, and begun after it: what it has to draw is requested by then.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 600))');
  await page.getByLabel('Name', { exact: true }).fill('Painting in winter');
  await page.frameLocator('iframe').getByText('Painting in winter').first().textContent();
  expect(drawn).toEqual(['Painting in winter']);
});
