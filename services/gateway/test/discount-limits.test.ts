import { guardLeaks } from '@app/testing/leak-guard';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunningGateway } from '../src/gateway-deps.ts';
import { createHarness, createSeller, type Harness } from './harness.ts';
import { type Sent, send } from './http.ts';

guardLeaks();

let harness: Harness;
/** Two replicas with limits on one database. */
let replicas: [RunningGateway, RunningGateway];
let handle: string;
let otherHandle: string;
const settings = { RATE_LIMIT_PER_MINUTE: '100000', TRUST_PROXY: '1' };

async function newHandle(): Promise<string> {
  const { key } = await createSeller(replicas[0].url);
  return (await send(replicas[0].url, 'GET', '/api/v1/settings', { key })).json.handle;
}

beforeAll(async () => {
  harness = await createHarness();
  replicas = [await harness.start(settings), await harness.start(settings)];
  [handle, otherHandle] = [await newHandle(), await newHandle()];
  harness.checkout.codes = new Set(['RIGHT']);
});
afterAll(() => harness.close());
beforeEach(async () => {
  await query(harness.database.url, 'delete from rate_windows');
  harness.checkout.forget();
});

let addresses = 0;
/** One that no other test has used: the general limit of requests is per address too. */
const newAddress = () => `198.51.100.${++addresses}`;
const either = (index: number) => replicas[index % 2 === 0 ? 0 : 1].url;
const from = (address: string) => ({ 'x-forwarded-for': address });

const offer = (code: string, address: string, at = replicas[0].url, of = handle): Promise<Sent> =>
  send(at, 'GET', `/api/checkout/offers/${of}/course?discountCode=${code}`, { headers: from(address) });
const open = (code: string | undefined, address: string, at = replicas[0].url): Promise<Sent> => {
  const body = { handle, slug: 'course', ...(code === undefined ? {} : { discountCode: code }) };
  return send(at, 'POST', '/api/checkout', { body, headers: from(address) });
};
const change = ({ json }: Sent, body: object, address: string, at = replicas[0].url): Promise<Sent> =>
  send(at, 'PATCH', `/api/checkout/${json.id}`, {
    body,
    headers: { 'x-checkout-secret': json.secret, ...from(address) },
  });
const lookedUp = () =>
  harness.checkout.requested.filter(({ input }) => {
    const { discountCode, body = { discountCode } } = input as {
      discountCode?: unknown;
      body?: { discountCode?: unknown };
    };
    return Boolean(body.discountCode);
  }).length;

test('ten different wrong codes of an address, over both replicas and three operations; then no code is looked up, and all else goes on', async () => {
  const address = newAddress();
  const opened = await open(undefined, address);
  const tries = [
    (n: number) => offer(`WRONG${n}`, address, either(n)),
    (n: number) => open(`WRONG${n}`, address, either(n)),
    (n: number) => change(opened, { discountCode: `WRONG${n}` }, address, either(n)),
  ];
  for (let n = 0; n < 10; n += 1) {
    const { status, json } = await (tries[n % 3] as (n: number) => Promise<Sent>)(n);
    if (status === 200) expect(json.discount.refusal).toBe('unknown');
    else expect([status, json.code]).toEqual([422, 'discount_invalid']);
  }
  expect(lookedUp()).toBe(10);
  const limited = await offer('RIGHT', address, either(1));
  expect([limited.status, limited.json.totalCents]).toEqual([200, 4_900]);
  const { refusal, retryAfterSeconds, code } = limited.json.discount;
  expect([code, refusal]).toEqual(['RIGHT', 'too_many_attempts']);
  expect(retryAfterSeconds).toBeGreaterThan(500);
  expect(retryAfterSeconds).toBeLessThanOrEqual(600);
  for (const answer of [
    await open('RIGHT', address),
    await change(opened, { discountCode: 'RIGHT' }, address, either(1)),
  ]) {
    expect([answer.status, answer.json.code]).toEqual([429, 'rate_limited']);
    expect(answer.json.errors.map(({ field, code }: { field: string; code: string }) => [field, code])).toEqual([
      ['discountCode', 'rate_limited'],
    ]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(500);
  }
  expect(lookedUp()).toBe(10);
  // Opening, changing and paying without a code go on.
  const other = await open(undefined, address);
  expect(other.status).toBe(200);
  expect((await change(opened, { name: 'Ada', discountCode: null }, address)).status).toBe(200);
  const paid = await send(replicas[0].url, 'POST', `/api/checkout/${opened.json.id}/pay`, {
    body: { paymentMethod: 'tok' },
    headers: { 'x-checkout-secret': opened.json.secret, ...from(address) },
  });
  expect(paid.json.status).toBe('paid');
  // Nor does anyone else wait, here and at other shops.
  expect((await offer('RIGHT', newAddress())).json.discount.refusal).toBeNull();
  expect((await open('RIGHT', newAddress())).status).toBe(200);
});

test('a wrong code that a whole office opens again and again is one guess, and right codes are none', async () => {
  const address = newAddress();
  for (let n = 0; n < 30; n += 1) {
    expect((await offer('OLD', address, either(n))).json.discount.refusal).toBe('unknown');
    expect((await offer('RIGHT', address, either(n))).json.discount.refusal).toBeNull();
  }
});

test('of a hundred guesses at the same moment ten are looked up', async () => {
  const address = newAddress();
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => offer(`GUESS${n}`, address, either(n))));
  expect(lookedUp()).toBe(10);
  expect(answers.filter(({ json }) => json.discount.refusal === 'too_many_attempts')).toHaveLength(90);
});

test('many right codes of one address at the same moment are all looked up', async () => {
  const address = newAddress();
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => offer('RIGHT', address, either(n))));
  expect(answers.map(({ json }) => json.discount.refusal)).toEqual(Array(60).fill(null));
});

test('while an account gets wrong codes from many addresses, each address has two, and right codes of others go on', async () => {
  for (let n = 0; n < 10; n += 1) {
    const address = newAddress();
    await Promise.all(Array.from({ length: 10 }, (_, of) => offer(`BOT${n}X${of}`, address, either(of))));
  }
  const [bot, buyer] = [newAddress(), newAddress()];
  const refusals: string[] = [];
  for (let n = 0; n < 4; n += 1) refusals.push((await offer(`LATE${n}`, bot, either(n))).json.discount.refusal);
  expect(refusals).toEqual(['unknown', 'unknown', 'too_many_attempts', 'too_many_attempts']);
  for (let n = 0; n < 5; n += 1) expect((await offer('RIGHT', buyer, either(n))).json.discount.refusal).toBeNull();
  // Another account's buyers have what they always have.
  const elsewhere = newAddress();
  for (let n = 0; n < 10; n += 1)
    expect((await offer(`TYPO${n}`, elsewhere, either(n), otherHandle)).json.discount.refusal).toBe('unknown');
});

test('a page shows its product without the code, says when codes are taken again, and sells without one', async () => {
  const address = newAddress();
  for (let n = 0; n < 10; n += 1) await offer(`WRONG${n}`, address, either(n));
  const page = await send(replicas[0].url, 'GET', `/c/${handle}/course?discount=RIGHT`, { headers: from(address) });
  expect(page.status).toBe(200);
  expect(page.text).toContain(
    'Too many codes were tried from here. You can pay without one, or try again in 10 minutes.',
  );
  const form = {
    key: 'k',
    product: 'prd_01jd2q5v8kfw9s3x6z7yabcdef',
    quote: 'quote',
    email: 'ada@example.com',
    card: 'sim_ok',
  };
  const cookies: string[] = [];
  const post = async (changes: Record<string, string>): Promise<Sent> => {
    const answer = await send(replicas[1].url, 'POST', `/c/${handle}/course`, {
      raw: `${new URLSearchParams({ ...form, do: 'pay', ...changes })}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...from(address), cookie: cookies.join('; ') },
    });
    for (const line of answer.headers['set-cookie'] ?? []) cookies.push(line.split(';')[0] ?? '');
    return answer;
  };
  const refused = await post({ code: 'RIGHT' });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('Too many codes were tried from here.');
  expect(refused.text).toContain('Your code was not applied. Pay without it, or correct it.');
  // The form knows which code was refused: the same button pays.
  expect((await post({ code: 'RIGHT', refusedCode: 'RIGHT' })).status).toBe(303);
  expect(harness.checkout.requested.filter(({ name }) => name === 'pay')).toHaveLength(1);
});
