import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { print } from '../support/print.ts';
import { addProduct, call, made, signUp } from '../support/seller.ts';

/** Bound: of the codes that one address guesses within ten minutes ten are looked up, over both replicas; it limits codes alone. */
const [guesses, lookedUpMax] = [300, 10];

let cluster: Cluster;
beforeAll(async () => {
  const settings = { TRUST_PROXY: '1', RATE_LIMIT_PER_MINUTE: '100000' };
  cluster = await startCluster({ settings, apart: [] });
});
afterAll(() => cluster.close());

test('300 guessed codes of one address say nothing of a right one, and keep no buyer from paying', async () => {
  const seller = await signUp(cluster.baseUrl);
  const { productId, slug } = await addProduct(seller);
  await made(seller, `/api/v1/products/${productId}/discounts`, { code: 'FRIENDS', percentOff: 50 });
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const offer = (code: string, address: string) =>
    call(cluster.baseUrl, 'GET', `/api/checkout/offers/${handle}/${slug}?discountCode=${code}`, {
      headers: from(address),
    });
  const open = (address: string, code?: string) =>
    call(cluster.baseUrl, 'POST', '/api/checkout', {
      headers: from(address),
      body: { handle, slug, email: 'grace@buyer.example', ...(code === undefined ? {} : { discountCode: code }) },
    });

  const guesser = '203.0.113.1';
  const answers = await Promise.all(
    Array.from({ length: guesses }, (_, n) => (n % 2 === 0 ? offer(`GUESS${n}`, guesser) : open(guesser, `GUESS${n}`))),
  );
  const lookedUp = answers.filter(({ status, json }) => json.discount?.refusal === 'unknown' || status === 422).length;
  const right = [await offer('FRIENDS', guesser), await open(guesser, 'FRIENDS')];
  expect(lookedUp).toBeLessThanOrEqual(lookedUpMax);
  expect(right.map(({ status, json }) => [status, json.discount?.refusal ?? json.code])).toEqual([
    [200, 'too_many_attempts'],
    [429, 'rate_limited'],
  ]);

  // The guesser's own neighbour, behind the same address, pays without a code; others with it.
  const bought: number[] = [];
  for (const [address, code] of [
    [guesser, undefined],
    ['198.51.100.9', 'FRIENDS'],
  ] as const) {
    const opened = await open(address, code);
    expect(opened.status).toBe(200);
    const paid = await call(cluster.baseUrl, 'POST', `/api/checkout/${opened.json.id}/pay`, {
      headers: { ...from(address), 'x-checkout-secret': opened.json.secret },
      body: { paymentMethod: 'sim_ok', confirmRepeat: true },
    });
    expect(paid.json.status).toBe('paid');
    bought.push(paid.json.totalCents);
  }
  print(
    `guessed codes: of ${guesses} at once ${lookedUp} were looked up; behind the same address a buyer paid ${bought[0]}, elsewhere with the code ${bought[1]}`,
  );
  expect(bought).toEqual([9_900, 4_950]);
});
