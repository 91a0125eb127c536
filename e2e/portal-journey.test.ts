import { orderPaid } from '@app/contracts/orders';
import { openVisit, type Visit } from '@app/testing/browser/visit';
import { volume } from '@app/testing/long';
import { createTestNats } from '@app/testing/nats';
import { startSmtpServer } from '@app/testing/smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, startClusterOn } from './support/cluster.ts';
import { type Later, startLater } from './support/later.ts';
import { verifyAddress } from './support/letters.ts';
import { openLink } from './support/portal-visits.ts';
import { moneyByOrder } from './support/processor-books.ts';
import { scripts } from './support/scripts.ts';
import { placeOrder, type Seller, signUp } from './support/seller.ts';
import { handled } from './support/waits.ts';

/**
 * Guarantee: a buyer whose renewal failed pays it once by the link of its email, with a card that their bank confirms; and a
 * subscription that its buyer canceled for the end of its period is charged no more and ends by that day's run.
 */

type Page = Visit['page'];

/** A month has 31 days at most. */
const untilDueMs = 31.5 * 86_400_000;
const priceCents = 2_900;

let later: Later;
let server: Awaited<ReturnType<typeof startSmtpServer>>;
let cluster: Pick<Cluster, 'baseUrl' | 'databaseUrl' | 'close'>;

beforeAll(async () => {
  later = startLater();
  server = await startSmtpServer();
  const settings = { ...later.settings, SMTP_URL: server.url, EMAIL_FROM: 'mail@platform.example' };
  cluster = await startClusterOn(await createTestNats(), { settings, apart: [] });
});
afterAll(async () => {
  await cluster?.close();
  await server?.close();
  later?.close();
});

async function openShop(): Promise<Seller> {
  const seller = await signUp(cluster.baseUrl);
  await verifyAddress(cluster.baseUrl, seller, server);
  const club = { name: 'The open studio', slug: 'club', priceCents, currency: 'usd', status: 'live' };
  const body = { ...club, pricingType: 'subscription', billingInterval: 'month' };
  expect((await seller.call('POST', '/api/v1/products', { body })).status).toBe(200);
  return seller;
}

interface Subscribed {
  readonly email: string;
  readonly orderId: string;
  /** As the seller sees the subscription. */
  read(): Promise<{ readonly id: string; readonly status: string; readonly cancel_at: string | null }>;
  /** How often, and how much, the processor has charged the buyer's renewals. */
  charged(): Promise<readonly [times: number, cents: number]>;
}

async function subscribe(seller: Seller, paymentMethod: string): Promise<Subscribed> {
  const email = `${crypto.randomUUID()}@example.com`;
  const body = { productSlug: 'club', email, paymentMethod };
  const orderId = await placeOrder(seller, body);
  await handled('billing', orderPaid, (data) => data.orderId === orderId);
  return {
    email,
    orderId,
    read: async () => (await seller.call('GET', `/api/v1/subscriptions?email=${email}`)).json.data[0],
    charged: async () => {
      const money = (await moneyByOrder(cluster.databaseUrl('billing'))).get(orderId);
      return [money?.charges ?? 0, money?.chargedCents ?? 0];
    },
  };
}

async function runDaily(seller: Seller) {
  const { status, json } = await seller.call('POST', '/api/cron/daily');
  expect([status, json.ok]).toEqual([200, true]);
  return json.rebills;
}

/** The link of an email, as a reader's mail program shows it. */
async function linkIn(email: string, subject: string): Promise<string> {
  const [sent] = await server.receivedEmails(1, ({ to, text }) => to === email && text.includes(subject));
  const text = (sent?.text ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
  return /\/p\/[\w-]+\/open\/[\w-]{43}/.exec(text)?.[0] ?? '';
}

/** A browser of the buyer's, in which a link that the seller made has opened their purchases. */
async function enter(seller: Seller, { email }: Subscribed, script: boolean): Promise<Page> {
  const { url } = (await seller.call('POST', '/api/v1/portal-links', { body: { email } })).json;
  const { page } = await openVisit(cluster.baseUrl, { script });
  await openLink(page, new URL(url).pathname);
  await page.getByRole('link', { name: 'every month' }).click();
  return page;
}

async function cancelAtEnd(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Cancel the subscription' }).click();
  await page.getByRole('button', { name: 'Cancel the subscription' }).click();
  await page.getByText('Until then it stays as it is, and nothing more is charged.').textContent();
}

describe.each(scripts.slice(0, volume(1, 2)))('%s', (_, script) => {
  test('a renewal that failed leads, by its email, to another card, which the bank confirms and which is charged once', async () => {
    const seller = await openShop();
    const buyer = await subscribe(seller, 'sim_renewal_declined');
    later.advance(untilDueMs);
    expect(await runDaily(seller)).toMatchObject({ charged: 0 });
    expect(await buyer.read()).toMatchObject({ status: 'past_due' });
    const link = await linkIn(buyer.email, 'did not go through');
    const { page } = await openVisit(cluster.baseUrl, { script });
    await openLink(page, link);
    await page.getByText('$29.00 is past due, and is charged to the new card at once.').textContent();
    await page.getByLabel('Test card').selectOption({ label: 'Card that asks the bank' });
    await page.getByRole('button', { name: 'Save the card and pay $29.00' }).click();
    await page.getByRole('heading', { name: 'Your bank asks you to confirm' }).textContent();
    expect([await buyer.charged(), (await buyer.read()).status]).toEqual([[0, 0], 'past_due']);
    await page.getByRole('link', { name: 'Confirm at your bank' }).click();
    await page.getByText('The payment went through.').textContent();
    await page.getByText('Active', { exact: true }).textContent();
    expect([await buyer.charged(), (await buyer.read()).status]).toEqual([[1, priceCents], 'active']);
    await runDaily(seller);
    expect(await buyer.charged()).toEqual([1, priceCents]);
    // The next renewal goes to the new card as well.
    later.advance(untilDueMs);
    expect(await runDaily(seller)).toMatchObject({ charged: 1, retried: 0 });
    expect(await buyer.charged()).toEqual([2, 2 * priceCents]);
  });

  test('a subscription is canceled for its end, kept, canceled again, and ended by the run of that day, uncharged', async () => {
    const seller = await openShop();
    const buyer = await subscribe(seller, 'sim_ok');
    const page = await enter(seller, buyer, script);
    await cancelAtEnd(page);
    expect(await buyer.read()).toMatchObject({ status: 'active', cancel_at: expect.any(String) });
    await page.getByRole('button', { name: 'Keep the subscription' }).click();
    await page.getByText('You keep the subscription.').textContent();
    expect(await buyer.read()).toMatchObject({ status: 'active', cancel_at: null });
    await cancelAtEnd(page);
    // Until its end it stays.
    expect(await runDaily(seller)).toMatchObject({ charged: 0, canceled: 0 });
    expect(await buyer.read()).toMatchObject({ status: 'active' });
    later.advance(untilDueMs);
    expect(await runDaily(seller)).toMatchObject({ charged: 0, retried: 0, canceled: 0 });
    expect([await buyer.charged(), (await buyer.read()).status]).toEqual([[0, 0], 'canceled']);
    const afterwards = await enter(seller, buyer, script);
    await afterwards.getByText('Nothing more is charged.').textContent();
    expect(await afterwards.getByRole('link', { name: /another card|Cancel/ }).count()).toBe(0);
  });
});
