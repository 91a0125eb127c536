import { DomainError } from '@app/contracts/errors';
import { query } from '@app/testing/sql';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createSeller } from './harness.ts';
import { type Sent, send, useUp } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

/** Guarantee: a purchase on the hosted pages survives the limit of its address and a checkout that is gone. */
startGateway();

/** The default limits, behind a proxy that says who calls. */
const limits = { RATE_LIMIT_PER_MINUTE: '600', TRUST_PROXY: '1' };
let limited: string;
let path: string;
beforeAll(async () => {
  const { key } = await createSeller(url);
  const { handle } = (await send(url, 'GET', '/api/v1/settings', { key })).json;
  path = `/c/${handle}/course`;
  limited = (await harness.start(limits)).url;
});
afterEach(() => harness.checkout.forget());

const product = 'prd_01jd2q5v8kfw9s3x6z7yabcdef';
const requestsOf = (name: string) => harness.checkout.requested.filter((requested) => requested.name === name);

/** A browser without script at an address: it keeps its cookies and sends the whole form each time. */
function browserAt(address: string, at = limited) {
  const cookies = new Map<string, string>();
  const fields: Record<string, string> = { key: 'k', product, quote: 'quote' };
  const headers = () => ({
    'x-forwarded-for': address,
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  });
  const keep = (sent: Sent): Sent => {
    for (const line of sent.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return sent;
  };
  return {
    get: async (of = path) => keep(await send(at, 'GET', of, { headers: headers() })),
    post: async (changes: Record<string, string>) => {
      const { do: step = '', ...typed } = changes;
      Object.assign(fields, typed);
      const raw = `${new URLSearchParams(Object.assign({ do: step }, fields))}`;
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      return keep(await send(at, 'POST', path, { raw, headers: Object.assign(form, headers()) }));
    },
  };
}

test('a buyer pays behind an address that has used up what it may store, and a click twice is one checkout’s', async () => {
  const at = (await harness.start({ IDEMPOTENCY_MB_PER_DAY: '1', TRUST_PROXY: '1' })).url;
  const address = '203.0.113.40';
  const [, , handle] = path.split('/');
  const open = async (n: number) => {
    const headers = { 'x-forwarded-for': address, 'idempotency-key': `flood-${n}` };
    return (await send(at, 'POST', '/api/checkout', { headers, body: { handle, slug: 'course' } })).status;
  };
  let flooded = 0;
  while ((await open(flooded)) === 200) flooded += 1;
  expect(await open(flooded)).toBe(429);
  const { get, post } = browserAt(address, at);
  await get();
  await post({ email: 'office@example.com' });
  await post({ name: 'Ada Lovelace', country: 'GB' });
  for (let click = 1; click <= 2; click += 1) expect((await post({ do: 'pay', card: 'sim_ok' })).status).toBe(303);
  const paid = requestsOf('pay');
  expect(new Set(paid.map(({ input }) => input.checkoutId)).size).toBe(1);
  expect(await (await get()).text).toContain('49.00');
  const kept = await query(
    harness.database.url,
    `select from idempotency_records where account_id like 'payCheckout %'`,
  );
  expect(kept).toEqual([]);
});

test('thirty buyers behind one address buy within a minute, each with every step that the pages have', async () => {
  const buy = async (_: unknown, index: number): Promise<number[]> => {
    const { get, post } = browserAt('203.0.113.30');
    const sent = [await get(), await get('/images/logos/none.png'), await get('/images/products/none.png')];
    sent.push(await post({ do: 'seen' }));
    sent.push(await post({ email: `buyer-${index}@example.com` }), await post({ name: 'Ada Lovelace' }));
    sent.push(await post({ country: 'GB' }), await post({ bump: 'bmp_1' }), await post({ code: 'SPRING' }));
    sent.push(await post({ do: 'pay', card: 'sim_ok' }), await get());
    return sent.map(({ status }) => status);
  };
  const bought = await Promise.all(Array.from({ length: 30 }, buy));
  expect(bought).toEqual(Array(30).fill([200, 404, 404, 204, 200, 200, 200, 200, 200, 303, 200]));
  expect([requestsOf('open').length, requestsOf('pay').length]).toEqual([30, 30]);
});

test('a page whose checkout cannot be read over the limit says so, and offers no second purchase', async () => {
  const address = '203.0.113.31';
  const { get, post } = browserAt(address);
  await post({ email: 'ada@example.com' });
  // The form took two requests, and one is left: the offer is found, the checkout is not.
  await useUp(limited, address, 3);
  const busy = await get();
  expect(busy.status).toBe(429);
  expect(busy.text).not.toContain('order-form');
  expect(busy.text).toMatch(/<meta http-equiv="refresh" content="\d+">/);
});

test('a checkout that had to give way to newer ones is opened again by its page, with all that the form has', async () => {
  const { get, post } = browserAt('203.0.113.32', url);
  await post({ email: 'ada@example.com', name: 'Ada Lovelace' });
  harness.checkout.secrets.clear();
  expect((await get()).status).toBe(200);
  expect((await post({ country: 'GB' })).status).toBe(200);
  const [, opened] = requestsOf('open');
  expect(opened?.input.body).toMatchObject({ email: 'ada@example.com', name: 'Ada Lovelace', country: 'GB' });
  // In the moment between saving and paying.
  const { pay } = harness.checkout;
  harness.checkout.pay = async () => {
    harness.checkout.pay = pay;
    throw new DomainError('checkout_not_found', 'It gave way.');
  };
  expect((await post({ do: 'pay', card: 'sim_ok' })).status).toBe(303);
  const [refused, paid] = requestsOf('pay');
  expect(requestsOf('open')).toHaveLength(3);
  expect(paid?.input.body.paymentMethod).toBe('sim_ok');
  expect(paid?.input.checkoutId).not.toBe(refused?.input.checkoutId);
});
