import { accountSettingsChanged } from '@app/contracts/accounts';
import { query } from '@app/testing/sql';
import { beforeAll, expect, test } from 'vitest';
import { openCheckout } from './support/buyer.ts';
import { verifyAddress } from './support/letters.ts';
import { reminderTexts } from './support/reminders.ts';
import { addProduct, call } from './support/seller.ts';
import { handle, platform, seller, signUpSeller } from './support/set-up.ts';
import { handled } from './support/waits.ts';

signUpSeller();

beforeAll(async () => {
  await verifyAddress(platform.baseUrl, seller, platform.emails);
  await addProduct(seller);
  await seller.call('PATCH', '/api/v1/settings', { body: { businessName: 'Ada & Co' } });
});

const runDaily = async () => (await seller.call('POST', '/api/cron/daily')).json;

/** The links of the seller's emails, in their plain parts. Other sellers of the platform send theirs to the same folder. */
const links = () =>
  reminderTexts(platform)
    .filter((text) => text.includes(`.${handle}.course`))
    .map((text) => {
      const [, to = ''] = /^To: (.+)$/m.exec(text) ?? [];
      const [, restore = ''] = /\/c\/restore\/([\w-]+)\./.exec(text) ?? [];
      const [, token = ''] = /\/c\/opt-out\/([\w-]+)/.exec(text) ?? [];
      return { text, to, restore, token };
    });

/** Of the seller alone: other tests use the same database. */
const changeRows = (sql: string) => query(platform.databaseUrl('checkout'), sql, [seller.accountId]);

test('a stalled buyer gets one email, comes back by its link, pays, and is counted; another ends the reminders', async () => {
  const wish = { handle, slug: 'course', email: 'bob@example.com' };
  const stalled = await openCheckout(platform.baseUrl, wish);
  await openCheckout(platform.baseUrl, { ...wish, email: 'eve@example.com' });
  await changeRows(`update checkouts set created_at = created_at - interval '2 hours' where account_id = $1`);
  // Settings travel by an event.
  await handled(
    'checkout',
    accountSettingsChanged,
    (data, accountId) => accountId === seller.accountId && data.businessName === 'Ada & Co',
  );
  expect((await runDaily()).recovery).toEqual({ sent: 2, recovered: 0 });
  expect(links()).toHaveLength(2);
  const bobs = links().find(({ to }) => to.includes('bob@'));
  const eves = links().find(({ to }) => to.includes('eve@'));
  expect(bobs?.text).toContain(`.${handle}.course`);
  const restoring = { body: { token: bobs?.restore }, headers: { 'idempotency-key': crypto.randomUUID() } };
  const restored = await call(platform.baseUrl, 'POST', '/api/checkout/restore', restoring);
  expect(restored.json).toMatchObject({ email: 'bob@example.com', status: 'open' });
  expect([restored.json.id, restored.json.secret]).not.toContain(stalled.id);
  const repeated = await call(platform.baseUrl, 'POST', '/api/checkout/restore', restoring);
  expect([repeated.json.id, repeated.json.secret]).toEqual([restored.json.id, undefined]);
  const headers = { 'x-checkout-secret': restored.json.secret };
  const body = { paymentMethod: 'sim_ok', totalCents: restored.json.totalCents };
  const paid = await call(platform.baseUrl, 'POST', `/api/checkout/${restored.json.id}/pay`, { headers, body });
  expect(paid.json.status).toBe('paid');
  const optOut = `${platform.baseUrl}/c/opt-out/${eves?.token}`;
  expect(await (await fetch(optOut)).text()).toContain('Ada &amp; Co');
  expect((await fetch(optOut, { method: 'POST', body: 'List-Unsubscribe=One-Click' })).status).toBe(200);
  expect((await runDaily()).recovery).toEqual({ sent: 0, recovered: 1 });
  expect((await runDaily()).recovery).toEqual({ sent: 0, recovered: 0 });
  // Forty days later, as far as the rows know: only the opt-out still keeps a reminder out.
  await changeRows(`update reminders set sent_at = sent_at - interval '40 days' where account_id = $1`);
  await openCheckout(platform.baseUrl, { ...wish, email: 'eve@example.com' });
  await changeRows(
    `update checkouts set created_at = created_at - interval '2 hours'
     where account_id = $1 and created_at > now() - interval '1 hour'`,
  );
  expect((await runDaily()).recovery).toEqual({ sent: 0, recovered: 0 });
  expect(links()).toHaveLength(2);
});
