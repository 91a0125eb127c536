import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCheckout } from './support/buyer.ts';
import { type Cluster, startCluster } from './support/cluster.ts';
import { addProduct, call, type Seller, signUp } from './support/seller.ts';

guardLeaks();

let cluster: Cluster;
let seller: Seller;
let handle: string;
let emails: string;

beforeAll(async () => {
  emails = mkdtempSync(join(tmpdir(), 'emails-'));
  cluster = await startCluster({ EMAIL_DIR: emails });
  seller = await signUp(cluster.baseUrl);
  await addProduct(seller);
  handle = (await seller.call('PATCH', '/api/v1/settings', { body: { businessName: 'Ada & Co' } })).json.handle;
});
afterAll(async () => {
  await cluster.close();
  rmSync(emails, { recursive: true });
});

const runDaily = async () => (await seller.call('POST', '/api/cron/daily')).json;

/** The links of the emails, in their plain parts. */
const links = () =>
  readdirSync(emails).map((name) => {
    const text = readFileSync(join(emails, name), 'latin1').replaceAll('=\r\n', '').replaceAll('=3D', '=');
    const [, id = '', secret = ''] = /checkout=(cko_\w+)#secret=([\w-]+)/.exec(text) ?? [];
    const [, token = ''] = /\/c\/opt-out\/([\w-]+)/.exec(text) ?? [];
    return { text, id, secret, token };
  });

test('a stalled buyer gets one email, comes back by its link, pays, and is counted; another ends the reminders', async () => {
  const wish = { handle, slug: 'course', email: 'bob@example.com' };
  const stalled = await openCheckout(cluster.baseUrl, wish);
  await openCheckout(cluster.baseUrl, { ...wish, email: 'eve@example.com' });
  await query(cluster.databaseUrl('checkout'), `update checkouts set created_at = created_at - interval '2 hours'`);
  // Settings travel by an event.
  await eventually(async () =>
    expect(await query(cluster.databaseUrl('checkout'), 'select 1 from account_settings')).toHaveLength(1),
  );
  expect((await runDaily()).recovery).toEqual({ sent: 2, recovered: 0 });
  expect(links()).toHaveLength(2);
  const bobs = links().find(({ id }) => id === stalled.id);
  const eves = links().find(({ id }) => id !== stalled.id);
  expect(bobs?.text).toContain(`/c/${handle}/course?checkout=`);
  const headers = { 'x-checkout-secret': bobs?.secret ?? '' };
  const restored = await call(cluster.baseUrl, 'GET', `/api/checkout/${bobs?.id}`, { headers });
  expect(restored.json).toMatchObject({ id: stalled.id, email: 'bob@example.com', status: 'open' });
  const body = { paymentMethod: 'sim_ok', totalCents: restored.json.totalCents };
  const paid = await call(cluster.baseUrl, 'POST', `/api/checkout/${bobs?.id}/pay`, { headers, body });
  expect(paid.json.status).toBe('paid');
  const optOut = `${cluster.baseUrl}/c/opt-out/${eves?.token}`;
  expect(await (await fetch(optOut)).text()).toContain('Ada &amp; Co');
  expect((await fetch(optOut, { method: 'POST', body: 'List-Unsubscribe=One-Click' })).status).toBe(200);
  expect((await runDaily()).recovery).toEqual({ sent: 0, recovered: 1 });
  expect((await runDaily()).recovery).toEqual({ sent: 0, recovered: 0 });
  // Forty days later, as far as the rows know: only the opt-out still keeps a reminder out.
  await query(cluster.databaseUrl('checkout'), `update reminders set sent_at = sent_at - interval '40 days'`);
  await openCheckout(cluster.baseUrl, { ...wish, email: 'eve@example.com' });
  await query(
    cluster.databaseUrl('checkout'),
    `update checkouts set created_at = created_at - interval '2 hours' where created_at > now() - interval '1 hour'`,
  );
  expect((await runDaily()).recovery).toEqual({ sent: 0, recovered: 0 });
  expect(links()).toHaveLength(2);
});
