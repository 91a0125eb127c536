import { dashboardPages } from '@app/pages/dashboard/dashboard-pages';
import { findAccessViolations, findMarkupFaults } from '@app/testing/browser/find-violations';
import { openVisit } from '@app/testing/browser/visit';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageAt } from '../support/dashboard-addresses.ts';
import { furnish } from '../support/furnished-shop.ts';
import { addManyOrders } from '../support/many-orders.ts';
import { print } from '../support/print.ts';
import { call, type Seller, signUp } from '../support/seller.ts';
import { sharedPlatform } from '../support/shared-platform.ts';
import { judge } from './lighthouse.ts';
import { median, p95, ratio } from './times.ts';

/** A seller with one of everything and many orders, who is logged in. */
interface Shop {
  readonly cookie: string;
  readonly ids: Readonly<Record<string, string>>;
}

let receiver: Receiver;
let baseUrl: string;
let large: Shop;
let small: Shop;
beforeAll(async () => {
  receiver = await startReceiver();
  const platform = await sharedPlatform();
  baseUrl = platform.baseUrl;
  const open = async (name: string, orders: number): Promise<Shop> => {
    const seller = await signUp(baseUrl, name);
    const ids = await furnish({ baseUrl, receiverUrl: receiver.url }, seller);
    await addManyOrders(platform, seller.accountId, orders);
    return { cookie: await logIn(seller), ids };
  };
  small = await open('Small Shop', 1_000);
  large = await open('Large Shop', 300_000);
}, 900_000);
afterAll(() => receiver.close());

async function logIn({ email }: Seller): Promise<string> {
  const entered = await call(baseUrl, 'POST', '/api/auth/login', {
    body: { email, password: 'a long enough password' },
  });
  return entered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Milliseconds until the answers to all of them, requested at once, are there. */
async function timeOf({ cookie }: Shop, paths: readonly string[]): Promise<number> {
  const headers = { 'accept-encoding': 'br', cookie };
  const began = performance.now();
  const answers = await Promise.all(paths.map((path) => fetch(baseUrl + path, { headers, redirect: 'manual' })));
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  const took = performance.now() - began;
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  return took;
}

/** Files that are downloaded, and pieces of other pages. */
const noPage = /\/(export|qr\.svg|preview|picture)$/;
const shownPages = Object.keys(dashboardPages).filter((pattern) => !noPage.test(pattern));

/** A browser of the seller's, which weighs what a page takes over the wire, in kilobytes. */
async function openBrowser() {
  const { page, context } = await openVisit(baseUrl);
  const [name = '', value = ''] = large.cookie.split('=');
  await context.addCookies([{ name, value, url: baseUrl }]);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  const weigh = async (path: string): Promise<number> => {
    bytes = 0;
    await page.goto(path, { waitUntil: 'networkidle' });
    return bytes / 1_000;
  };
  return { page, weigh };
}

test('no page of the dashboard is wrong for people, browsers or validators, none is heavy', async () => {
  const heavy: string[] = [];
  const wrong: Record<string, string[]> = {};
  const visited = await openBrowser();
  // It has the styles of previews too.
  for (const path of ['/app', '/app/products/new']) await visited.weigh(path);
  for (const pattern of shownPages) {
    const path = pageAt(pattern, large.ids);
    const { page, weigh } = await openBrowser();
    const [first, next] = [await weigh(path), await visited.weigh(path)];
    const weights = `${pattern}: ${first.toFixed(1)} KB at the first visit, ${next.toFixed(1)} KB after others`;
    print(weights);
    if (first > 60 || next > 15) heavy.push(weights);
    const faults = [
      ...(await findAccessViolations(page)),
      ...(await findMarkupFaults(await (await page.request.get(path)).text())),
    ];
    if (faults.length > 0) wrong[pattern] = faults;
    await page.close();
  }
  expect({ heavy, wrong }).toEqual({ heavy: [], wrong: {} });
});

test.each([
  ...['/app', '/app/metrics', '/app/settings', '/app/settings/pages'],
  ...['/app/orders', '/app/orders/:id', '/app/orders/withdrawals'],
  ...['/app/orders/customers', '/app/orders/customers/:id'],
  ...['/app/products', '/app/products/:productId', '/app/products/:productId/bumps/:offerId'],
])('Lighthouse finds nothing wrong with the dashboard’s page: %s', async (pattern) => {
  const { scores, faults } = await judge(baseUrl + pageAt(pattern, large.ids), large.cookie);
  print(`dashboard, ${pattern}: ${JSON.stringify(scores)}`);
  expect(faults).toEqual([]);
  expect(scores).toMatchObject({ accessibility: 100, 'best-practices': 100, seo: 100 });
});

const frame = ['/api/auth/me', '/api/v1/settings', '/api/v1/payment-processor'];
const spanOf = (days: number) => {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return `from=${dayOf(Date.now() - (days - 1) * 86_400_000)}&to=${dayOf(Date.now())}`;
};
/** Of the customer that `furnish` makes. */
const furnishedBuyer = 'victim-buyer%40example.com';
/** Pages that show many, with the addresses of the same data. */
const pagesOfMany: readonly (readonly [page: string, json: (ids: Readonly<Record<string, string>>) => string[]])[] = [
  [
    '/app',
    () => [
      ...[`/api/v1/overview?${spanOf(30)}`, '/api/v1/events?order=desc&limit=8', '/api/v1/products?limit=20'],
      ...['/api/v1/test-orders?limit=1', '/api/v1/webhook-endpoints', '/api/v1/daily-runs?limit=1'],
    ],
  ],
  ['/app/orders', () => ['/api/v1/orders?limit=20', '/api/v1/products?limit=100']],
  ['/app/orders?status=refunded', () => ['/api/v1/orders?limit=20&status=refunded', '/api/v1/products?limit=100']],
  ['/app/orders?q=Buyer+29', () => ['/api/v1/orders?limit=20&q=Buyer+29', '/api/v1/products?limit=100']],
  ['/app/orders/:id', ({ orderId }) => [`/api/v1/orders/${orderId}`, `/api/v1/payments?orderId=${orderId}`]],
  ['/app/orders/customers', () => ['/api/v1/customers?limit=20']],
  [
    '/app/orders/customers/:id',
    ({ customerId }) => [
      ...[`/api/v1/customers/${customerId}`, `/api/v1/orders?limit=20&q=${furnishedBuyer}`],
      ...['subscriptions', 'payments'].map((path) => `/api/v1/${path}?limit=20&email=${furnishedBuyer}`),
    ],
  ],
  ['/app/orders/checkouts', () => ['/api/v1/checkouts', '/api/v1/products?limit=100']],
  ['/app/subscriptions', () => ['/api/v1/subscriptions?limit=20']],
  ['/app/products', () => ['/api/v1/products?limit=20']],
  ['/app/affiliates', () => ['/api/v1/affiliates?limit=20']],
  ['/app/metrics', () => [`/api/v1/overview?${spanOf(30)}`]],
  ['/app/metrics/:id', ({ productId }) => [`/api/metrics/${productId}`, `/api/v1/products/${productId}`]],
  ['/app/activity', () => ['/api/v1/activity?limit=20']],
  ['/app/activity/deliveries', () => ['/api/v1/webhook-deliveries?limit=20']],
  ['/app/integrations', () => ['/api/v1/webhook-endpoints']],
  ['/app/daily-job', () => ['/api/v1/daily-runs/preview', '/api/v1/daily-runs?limit=20']],
  ['/app/settings', () => ['/api/v1/settings']],
];

test.each(pagesOfMany)(
  'with 300,000 orders a page takes at most three times as long as the JSON of the same data: %s',
  async (pattern, jsonOf) => {
    const path = pageAt(pattern, large.ids);
    const json = [...frame, ...jsonOf(large.ids)];
    const [pages, answers] = [[] as number[], [] as number[]];
    for (let n = 0; n < 200; n += 1) {
      pages.push(await timeOf(large, [path]));
      answers.push(await timeOf(large, json));
    }
    const [page, answer] = [p95(pages.slice(50)), p95(answers.slice(50))];
    print(
      `${pattern}: p95 of the page ${page.toFixed(1)} ms, of its JSON ${answer.toFixed(1)} ms: ${ratio(page, answer)}`,
    );
    expect(page / answer).toBeLessThanOrEqual(3);
  },
);

test('the first 20 of 300,000 orders take at most 1.5 times as long as those of 1,000', async () => {
  const [many, few] = [[] as number[], [] as number[]];
  for (let n = 0; n < 300; n += 1) {
    many.push(await timeOf(large, ['/app/orders']));
    few.push(await timeOf(small, ['/app/orders']));
  }
  const [ofMany, ofFew] = [median(many.slice(50)), median(few.slice(50))];
  print(`orders of 300,000 in ${ofMany.toFixed(1)} ms, of 1,000 in ${ofFew.toFixed(1)} ms: ${ratio(ofMany, ofFew)}`);
  expect(ofMany / ofFew).toBeLessThanOrEqual(1.5);
});
