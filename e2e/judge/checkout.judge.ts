import { openVisit } from '@app/testing/browser/visit';
import { beforeAll, expect, test } from 'vitest';
import { print } from '../support/print.ts';
import { type Shop, startShop } from '../support/shop.ts';
import { startEarlierCheckout } from './earlier-checkout.ts';
import { judge } from './lighthouse.ts';
import { median, p95, ratio } from './times.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});

test.each([
  ['the checkout', () => shop.path],
  ['the page of a shop', () => `/c/${shop.handle}`],
  ...['', '/errors', '/webhooks', '/reference', '/reference/orders', '/reference/events'].map(
    (page) => [`/developers${page}`, () => `/developers${page}`] as const,
  ),
] as const)('Lighthouse finds nothing wrong with %s', async (name, pathOf) => {
  const { scores, faults } = await judge(shop.baseUrl + pathOf());
  print(`${name}: ${JSON.stringify(scores)}`);
  expect(faults).toEqual([]);
  expect(scores).toMatchObject({ accessibility: 100, 'best-practices': 100, seo: 100 });
});

test('Lighthouse finds nothing wrong with what a buyer sees after paying', async () => {
  const { page, context } = await openVisit(shop.baseUrl);
  await page.goto(shop.path);
  await page.getByLabel('Email').fill(`${crypto.randomUUID()}@example.com`);
  await page.getByRole('button', { name: /^Pay / }).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`);
  const { scores, faults } = await judge(page.url(), cookies.join('; '));
  print(`the receipt: ${JSON.stringify(scores)}`);
  expect(faults).toEqual([]);
  expect(scores).toMatchObject({ accessibility: 100, 'best-practices': 100, seo: 100 });
});

/** Until the field for the email address can be typed into. */
async function usableAfterMs(url: string, path: string): Promise<number> {
  const { page } = await openVisit(url, { latencyMs: 300 });
  const began = performance.now();
  await page.goto(path, { waitUntil: 'commit' });
  await page.locator('input[type=email]').click();
  return performance.now() - began;
}

test('at 300 ms latency the checkout is usable in half of the time of the page before', async () => {
  const [now, before] = [[] as number[], [] as number[]];
  const earlier = await startEarlierCheckout();
  for (let n = 0; n < 5; n += 1) {
    now.push(await usableAfterMs(shop.baseUrl, shop.path));
    before.push(await usableAfterMs(earlier, '/'));
  }
  const [ours, theirs] = [median(now), median(before)];
  print(`usable after ${Math.round(ours)} ms; four round trips take ${Math.round(theirs)} ms: ${ratio(ours, theirs)}`);
  expect(ours / theirs).toBeLessThanOrEqual(0.5);
});

test('the page takes at most three times as long as the JSON of the same data', async () => {
  const json = `/api/checkout/offers/${shop.handle}/${shop.slug}`;
  const [pages, answers] = [[] as number[], [] as number[]];
  for (let n = 0; n < 1_000; n += 1) {
    pages.push(await timeOf(shop.path));
    answers.push(await timeOf(json));
  }
  const [page, answer] = [p95(pages.slice(100)), p95(answers.slice(100))];
  print(`p95 of the page ${page.toFixed(1)} ms, of its JSON ${answer.toFixed(1)} ms: ${ratio(page, answer)}`);
  expect(page / answer).toBeLessThanOrEqual(3);
});

async function timeOf(path: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(shop.baseUrl + path, { headers: { 'accept-encoding': 'br' } });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  return performance.now() - began;
}
