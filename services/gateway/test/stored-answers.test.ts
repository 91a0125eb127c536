import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

/** Guarantee: what answers under Idempotency-Keys take is bounded, for accounts and for strangers, and none that was kept is lost for it. */
startGateway({ IDEMPOTENCY_MB_PER_DAY: '1', TRUST_PROXY: '1' });

const dayMs = 86_400_000;

async function shop() {
  const { key } = await createSeller(url);
  const { handle } = (await send(url, 'GET', '/api/v1/settings', { key })).json;
  const open = (idempotencyKey: string | undefined, address: string) =>
    send(url, 'POST', '/api/checkout', {
      headers: {
        'x-forwarded-for': address,
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body: { handle, slug: 'course' },
    });
  return { key, open };
}

test('a stranger stores a tenth of what an account may; then keys that were used are answered, and new ones are not taken', async () => {
  const { key, open } = await shop();
  const first = await open('k-0', '203.0.113.7');
  let taken = 1;
  for (; taken < 1_000; taken++) if ((await open(`k-${taken}`, '203.0.113.7')).status !== 200) break;
  expect(taken).toBeLessThan(200);
  const refused = await open('new', '203.0.113.7');
  expect([refused.status, refused.json.code]).toEqual([429, 'idempotency_budget_used']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_600);
  for (const n of [0, taken - 1]) {
    const again = await open(`k-${n}`, '203.0.113.7');
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
  }
  expect((await open('k-0', '203.0.113.7')).json.id).toBe(first.json.id);
  expect((await open(undefined, '203.0.113.7')).status).toBe(200);
  expect((await open('elsewhere', '203.0.113.8')).status).toBe(200);
  const ofAccount = { key, headers: { 'idempotency-key': 'mine', 'x-forwarded-for': '203.0.113.7' } };
  const body = { productSlug: 'course', email: 'a@example.com' };
  expect((await send(url, 'POST', '/api/v1/orders', { ...ofAccount, body })).status).toBe(200);
});

test('a key of a caller without an account is new after a day, and one of an account is answered for a month', async () => {
  const { key, open } = await shop();
  const order = () =>
    send(url, 'POST', '/api/v1/orders', {
      key,
      headers: { 'idempotency-key': 'long' },
      body: { productSlug: 'course', email: 'a@example.com' },
    });
  const [opened, ordered] = [await open('short', '203.0.113.9'), await order()];
  harness.clock.advance(23 * 3_600_000);
  expect((await open('short', '203.0.113.9')).json.id).toBe(opened.json.id);
  harness.clock.advance(2 * 3_600_000);
  expect((await open('short', '203.0.113.9')).json.id).not.toBe(opened.json.id);
  harness.clock.advance(28 * dayMs);
  expect((await order()).json).toEqual(ordered.json);
});

test('a long answer is kept compressed, and repeated byte for byte', async () => {
  const { open } = await shop();
  const first = await open('long-answer', '203.0.113.10');
  const [row] = await query<{ bytes: number }>(
    harness.database.url,
    `select octet_length(response) as bytes from idempotency_records where key = 'long-answer'`,
  );
  const replayed = await open('long-answer', '203.0.113.10');
  expect(replayed.headers['idempotent-replayed']).toBe('true');
  const { secret, ...kept } = first.json;
  expect(replayed.json).toMatchObject(kept);
  expect(secret).toBeDefined();
  expect(row?.bytes).toBeLessThan(replayed.bytes.length * 0.75);
});

// Six hundred sign-ups, each of which hashes a password.
test('a call that ends without a known outcome counts as well, and one that had no effect does not', {
  timeout: 600_000,
}, async () => {
  const { email: taken } = await createSeller(url);
  const signUp = async (idempotencyKey: string, email: string) => {
    const headers = { 'idempotency-key': idempotencyKey, 'x-forwarded-for': '203.0.113.11' };
    const body = { email, password: 'a long password', name: 'Shop' };
    return (await send(url, 'POST', '/api/auth/signup', { headers, body })).json.code;
  };
  const run = (sql: string) => query(harness.database.url, sql);
  // A tenth of a MiB has room for 263 records of 400 bytes.
  const codes = new Set<string>();
  for (let n = 0; n < 300; n += 1) codes.add(await signUp(`refused-${n}`, taken));
  expect([...codes]).toEqual(['email_taken']);
  await run(`create function dies() returns trigger language plpgsql as $$ begin raise exception 'died'; end $$`);
  await run('create trigger dies before insert on accounts for each row execute function dies()');
  codes.clear();
  for (let n = 0; n < 300; n += 1) codes.add(await signUp(`unknown-${n}`, `unknown-${n}@example.com`));
  await run('drop function dies cascade');
  expect([...codes]).toEqual(['internal', 'idempotency_budget_used']);
  // What has begun may end.
  expect(await signUp('unknown-0', 'unknown-0@example.com')).toBeUndefined();
});

test('without room for a record a repeat is the same command, so that it joins its own attempt to pay; another card is another', async () => {
  const { open } = await shop();
  const address = '203.0.113.12';
  const { id, secret } = (await open(undefined, address)).json;
  let taken = 0;
  for (; taken < 1_000; taken++) if ((await open(`full-${taken}`, address)).status !== 200) break;
  expect(taken).toBeLessThan(200);
  const pay = async (idempotencyKey: string, paymentMethod: string) => {
    const headers = { 'x-forwarded-for': address, 'x-checkout-secret': secret, 'idempotency-key': idempotencyKey };
    expect((await send(url, 'POST', `/api/checkout/${id}/pay`, { headers, body: { paymentMethod } })).status).toBe(200);
    return harness.checkout.requested.findLast(({ name }) => name === 'pay')?.context.commandId;
  };
  const first = await pay('one', 'sim_requires_action');
  expect(first).toMatch(/^\w{26}$/);
  expect(await pay('one', 'sim_requires_action')).toBe(first);
  expect(await query(harness.database.url, `select from idempotency_records where key = 'one'`)).toEqual([]);
  const others = [await pay('two', 'sim_requires_action'), await pay('one', 'sim_ok')];
  expect(new Set([first, ...others]).size).toBe(3);
});
