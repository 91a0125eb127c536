import { openVisit } from '@app/testing/browser/visit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createHarness, createSeller, type Harness } from './harness.ts';
import { send, useUp } from './http.ts';

/** Guarantee: in a browser a purchase goes on by itself, over the limit of its address and while a payment is checked. */
let harness: Harness;
let url: string;
let path: string;
beforeAll(async () => {
  harness = await createHarness();
  ({ url } = await harness.start());
  const { key } = await createSeller(url);
  const { handle } = (await send(url, 'GET', '/api/v1/settings', { key })).json;
  path = `/c/${handle}/course`;
});
afterEach(() => {
  harness.checkout.shown = {};
  harness.checkout.forget();
});
afterAll(() => harness.close());

const requestsOf = (name: string) => harness.checkout.requested.filter((requested) => requested.name === name);

test('a field that is saved over the limit leaves the page as it is, and the form is sent again by itself', async () => {
  const address = '203.0.113.33';
  const { url: limited } = await harness.start({ RATE_LIMIT_PER_MINUTE: '600', TRUST_PROXY: '1' });
  const { page, context } = await openVisit(limited, { statuses: [429] });
  const from = (client: string) => context.setExtraHTTPHeaders({ 'x-forwarded-for': client });
  await from('203.0.113.34');
  await page.clock.install();
  await page.goto(path);
  await useUp(limited, address);
  await from(address);
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Name').focus();
  await page.getByText('What you typed stays here').textContent();
  await page.getByLabel('Name').fill('Ada');
  expect(requestsOf('open')).toEqual([]);
  // Its minute is over.
  await from('203.0.113.35');
  await page.clock.fastForward('01:00');
  // The form of a checkout that is open.
  await page.locator('input[name=key]:not([value=new])').inputValue();
  expect(await page.getByText('What you typed stays here').count()).toBe(0);
  expect(requestsOf('open').map(({ input }) => input.body)).toMatchObject([{ email: 'ada@example.com', name: 'Ada' }]);
  expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.com');
  expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
});

const processing = { status: 'processing', orderId: null } as const;

test('a payment that is checked shows its outcome by itself, and is checked ever more seldom', async () => {
  const { page } = await openVisit(url);
  await page.clock.install();
  await page.goto(path);
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByLabel('Email').fill('ada@example.com');
  harness.checkout.shown = processing;
  await page.getByRole('button', { name: 'Pay $49.00' }).click();
  await page.getByText('Your payment is being checked').textContent();
  const checks: string[] = [];
  page.on('request', (request) => checks.push(new URL(request.url()).search));
  for (const [check, seconds] of [2, 3, 5, 7, 10].entries()) {
    await page.locator(`#check-${check}`).getAttribute('hx-get');
    await page.clock.runFor(seconds * 1000 - 100);
    expect(checks).toHaveLength(check);
    const next = page.waitForResponse((response) => response.url().endsWith(`?check=${check + 1}`));
    await page.clock.runFor(200);
    await next;
  }
  expect(requestsOf('continue').length).toBeGreaterThanOrEqual(5);
  harness.checkout.shown = { status: 'paid', orderId: 'ord_1', paidAt: '2026-11-24T10:00:00.000Z' };
  await page.locator('#check-5').getAttribute('hx-get');
  await page.clock.runFor(16_000);
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
});

test('without script a payment that is checked shows its outcome by itself as well', async () => {
  const { page } = await openVisit(url, { script: false });
  await page.goto(path);
  await page.getByLabel('Email').fill('ada@example.com');
  harness.checkout.shown = processing;
  await page.getByRole('button', { name: 'Pay $49.00' }).click();
  await page.getByText('Your payment is being checked').textContent();
  await page.waitForURL('**/course?check=1');
  expect(await page.locator('meta[http-equiv=refresh]').getAttribute('content')).toBe(`3;url=${path}?check=2`);
  harness.checkout.shown = { status: 'paid', orderId: 'ord_1', paidAt: '2026-11-24T10:00:00.000Z' };
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
});
