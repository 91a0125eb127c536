import { newId } from '@app/contracts/ids';
import { putPaymentMethod } from '@app/contracts/subscriptions';
import { expect, onTestFinished, test } from 'vitest';
import { dayMs } from '../payment-replicas.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';
import { openStripeShop, type StripeShop } from '../stripe-shop.ts';

/** What Stripe answers with 400: some of it is decided, and of the rest nothing was done. */
startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 10_000, STRIPE_REQUESTS_PER_SECOND: 1_000 });

const disabled = { reason: 'requirements.past_due', due: ['company.tax_id'] };
const books = ({ key }: StripeShop) => stripe.booksOf(key);
const giveCard = (shop: StripeShop, subscriptionId: string) =>
  harness.requester.request(
    putPaymentMethod,
    { subscriptionId, body: { paymentMethod: 'pm_card_visa' } },
    commandOf(shop.account),
  );
const chargesOf = ({ key }: StripeShop) =>
  stripe.requests.filter(
    ({ method, path, secretKey }) => method === 'POST' && path === '/v1/payment_intents' && secretKey === key,
  );

test('a buyer whose customer was deleted at Stripe pays with another one, under a key of its own', async () => {
  const shop = await openStripeShop();
  const orderId = newId('order', harness.clock.nowMs());
  await shop.pay({ orderId, paymentMethod: 'pm_card_chargeDeclined' });
  const [declined] = shop.intents();
  books(shop).deleteCustomer(declined?.customer ?? '');
  expect(await shop.pay({ orderId, attemptNo: 2 })).toMatchObject({ status: 'succeeded' });
  const [, paid] = shop.intents();
  expect(paid?.customer).not.toBe(declined?.customer);
  const keys = chargesOf(shop).map(({ idempotencyKey }) => idempotencyKey);
  expect(new Set(keys).size).toBe(3);
});

const losses: readonly { readonly what: string; lose(shop: StripeShop, customer: string, method: string): void }[] = [
  { what: 'whose customer was deleted', lose: (shop, customer) => books(shop).deleteCustomer(customer) },
  { what: 'that was detached', lose: (shop, _, method) => books(shop).detach(method) },
  {
    what: 'that belongs to another customer',
    lose: (shop, _, method) => {
      const other = shop.intents().find(({ payment_method }) => payment_method !== method);
      Object.assign(books(shop).find('payment_method', method, ''), { customer: other?.customer });
    },
  },
  { what: 'that Stripe does not have', lose: (shop, _, method) => void books(shop).objects.delete(method) },
];

test('a card that is gone at Stripe, in each of these ways, is a hard decline: dunning ends, and a new card is saved and charged', async () => {
  const shop = await openStripeShop();
  const lost: { readonly what: string; readonly mended: string; readonly left: string }[] = [];
  for (const { what } of losses) lost.push({ what, mended: await shop.subscribe(31), left: await shop.subscribe(31) });
  for (const [index, { lose }] of losses.entries()) {
    for (const orderId of [lost[index]?.mended, lost[index]?.left]) {
      const [customer = '', method = ''] = (await shop.subscription(orderId ?? '')).payment_method.split('/');
      lose(shop, customer, method);
    }
  }
  expect(await shop.run()).toMatchObject({ ok: true, rebills: { charged: 0 } });
  const failed = { status: 'past_due', failed_tries: 1, hard_declined: true };
  for (const { what, mended, left } of lost) {
    for (const orderId of [mended, left]) expect(await shop.subscription(orderId), what).toMatchObject(failed);
    const { id } = await shop.subscription(mended);
    expect(await giveCard(shop, id), what).toMatchObject({ payment_method: { status: 'saved' } });
  }
  harness.clock.advance(dayMs);
  expect(await shop.run()).toMatchObject({ ok: true, rebills: { charged: losses.length } });
  const sent = chargesOf(shop).length;
  // Those of dunning.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    harness.clock.advance(3 * dayMs);
    expect(await shop.run()).toMatchObject({ ok: true });
  }
  for (const { what, mended, left } of lost) {
    expect(await shop.subscription(mended), what).toMatchObject({ status: 'active', period: 2 });
    expect(await shop.subscription(left), what).toMatchObject({ status: 'canceled', failed_tries: 4 });
  }
  expect(chargesOf(shop)).toHaveLength(sent);
});

const ofIntents = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === 'POST' && path === '/v1/payment_intents';
/** What a renewal that is refused day by day becomes, by days after the first refusal. */
const dunning = [
  [0, 'active', 0],
  [1, 'past_due', 1],
  [4, 'past_due', 2],
  [7, 'past_due', 3],
  [10, 'canceled', 4],
];

/** On each day of dunning, and on the day before it. */
const dunningDays = [0, 1, 3, 4, 6, 7, 9, 10, 12];
/** Dunning would begin on the second of them, and have ended on the last. */
const someDays = [0, 1, 12];

/** Runs on these days, twice on the first two, and says on which day the subscription became what. */
async function changesOver(days: readonly number[], shop: StripeShop, orderId: string) {
  const changes: [number, string, number][] = [];
  let today = 0;
  for (const day of days) {
    harness.clock.advance((day - today) * dayMs);
    today = day;
    for (let run = day < 2 ? 0 : 1; run < 2; run += 1) {
      await shop.run();
      const { status, failed_tries: failed } = await shop.subscription(orderId);
      const [, before, failedBefore] = changes.at(-1) ?? [];
      if (status !== before || failed !== failedBefore) changes.push([day, status, failed]);
    }
  }
  return changes;
}

test('a renewal that Stripe refuses on a second day, while it charges others, counts as a soft decline, and dunning goes on and ends', async () => {
  onTestFinished(() => stripe.mend());
  const shop = await openStripeShop();
  const orderId = await shop.subscribe();
  const refused = (await shop.subscription(orderId)).payment_method.split('/')[0];
  for (let day = 0; day < 13; day += 1) {
    await shop.subscribe();
    harness.clock.advance(dayMs);
  }
  harness.clock.advance(18 * dayMs);
  stripe.disturb(({ method, path, parameters }) =>
    method === 'POST' && path === '/v1/payment_intents' && parameters.customer === refused
      ? 'charges_disabled'
      : undefined,
  );
  expect(await changesOver(dunningDays, shop, orderId)).toEqual(dunning);
});

test.each(['charges_disabled', 'amount_refused'] as const)(
  'an account’s only renewal, which Stripe refuses for good (%s) while it takes payments of the account, ends by dunning from the second day on',
  async (fault) => {
    onTestFinished(() => stripe.mend());
    const shop = await openStripeShop();
    const orderId = await shop.subscribe(31);
    stripe.disturb((request) => (ofIntents(request) ? fault : undefined));
    expect(await changesOver(dunningDays, shop, orderId)).toEqual(dunning);
  },
);

test.each([
  { what: 'may not charge', restrict: (shop: StripeShop) => void Object.assign(books(shop), { disabled }) },
  {
    what: 'may charge as far as is known, by a key that may not read it',
    restrict: ({ key }: StripeShop) => stripe.restrict(key, ['/v1/account']),
  },
])('the only renewal of an account that $what waits, however long Stripe refuses it', async ({ restrict }) => {
  onTestFinished(() => stripe.mend());
  const shop = await openStripeShop();
  const orderId = await shop.subscribe(31);
  restrict(shop);
  stripe.disturb((request) => (ofIntents(request) ? 'charges_disabled' : undefined));
  expect(await changesOver(someDays, shop, orderId)).toEqual([[0, 'active', 0]]);
});

test('a renewal that Stripe refuses waits while the account may not charge, also where another was charged on that day', async () => {
  onTestFinished(() => stripe.mend());
  const shop = await openStripeShop();
  const orderId = await shop.subscribe(31);
  const refused = (await shop.subscription(orderId)).payment_method.split('/')[0];
  await shop.subscribe(31);
  stripe.disturb((request) =>
    ofIntents(request) && request.parameters.customer === refused ? 'charges_disabled' : undefined,
  );
  expect(await shop.run()).toMatchObject({ rebills: { charged: 1 } });
  Object.assign(books(shop), { disabled });
  harness.clock.advance(dayMs);
  await shop.run();
  expect(await shop.subscription(orderId)).toMatchObject({ status: 'active', failed_tries: 0 });
});

test.each([
  { answers: 'makes and refuses', refuse: (shop: StripeShop) => void Object.assign(books(shop), { disabled }) },
  {
    answers: 'refuses',
    refuse: () =>
      stripe.disturb(({ method, path }) =>
        method === 'POST' && path === '/v1/payment_intents' ? 'charges_disabled' : undefined,
      ),
  },
  {
    answers: 'refuses because of what is requested of their cards',
    refuse: () =>
      stripe.disturb(({ method, path }) =>
        method === 'POST' && path === '/v1/payment_intents' ? 'type_not_allowed' : undefined,
      ),
  },
  {
    answers: 'refuses because of their amount',
    refuse: () => stripe.disturb((request) => (ofIntents(request) ? 'amount_refused' : undefined)),
  },
  {
    answers: 'refuses because of their currency',
    refuse: () =>
      stripe.disturb(({ method, path }) =>
        method === 'POST' && path === '/v1/payment_intents' ? 'currency_refused' : undefined,
      ),
  },
])(
  'renewals of an account all of which Stripe $answers end no subscription, and are charged once it takes them',
  async ({ refuse }) => {
    onTestFinished(() => stripe.mend());
    const shop = await openStripeShop();
    const [one, other] = [await shop.subscribe(31), await shop.subscribe(31)];
    refuse(shop);
    expect(await changesOver(someDays, shop, one)).toEqual([[0, 'active', 0]]);
    expect(await shop.subscription(other)).toMatchObject({ status: 'active', failed_tries: 0 });
    const left = shop
      .intents()
      .filter(({ metadata, status }) => metadata.funnelry_call === 'chargeSaved' && status !== 'canceled');
    expect(left).toEqual([]);
    // One notification a day says it of all of them.
    expect((await shop.notified()).filter((text) => text.includes('never reached'))).toEqual([]);
    stripe.mend();
    books(shop).disabled = undefined;
    harness.clock.advance(dayMs);
    expect(await shop.run()).toMatchObject({ rebills: { charged: 2 } });
  },
);

test('a renewal that was refused once is charged on the next day, where Stripe takes it then', async () => {
  const shop = await openStripeShop();
  const orderId = await shop.subscribe(31);
  books(shop).disabled = disabled;
  expect(await shop.run()).toMatchObject({ rebills: { charged: 0, retried: 0 } });
  books(shop).disabled = undefined;
  harness.clock.advance(dayMs);
  expect(await shop.run()).toMatchObject({ ok: true, rebills: { charged: 1 } });
  expect(await shop.subscription(orderId)).toMatchObject({ status: 'active', period: 2, failed_tries: 0 });
  const taken = shop
    .intents()
    .filter(({ status, metadata }) => status === 'succeeded' && metadata.funnelry_call === 'chargeSaved');
  expect(taken).toHaveLength(1);
});

test('a renewal that was paid without an answer is found, also where its customer was deleted since', async () => {
  const shop = await openStripeShop();
  const orderId = await shop.subscribe();
  const [customer = ''] = (await shop.subscription(orderId)).payment_method.split('/');
  harness.clock.advance(31 * dayMs);
  stripe.fail(({ method, path }) => method === 'POST' && path === '/v1/payment_intents', 'error_after');
  await shop.run();
  expect(await shop.subscription(orderId)).toMatchObject({ status: 'active', period: 1 });
  books(shop).deleteCustomer(customer);
  harness.clock.advance(dayMs);
  expect(await shop.run()).toMatchObject({ ok: true });
  expect(await shop.subscription(orderId)).toMatchObject({ status: 'active', period: 2, failed_tries: 0 });
});

test('a buyer whom Stripe refuses because of its seller’s account may try again, and what Stripe made of it is ended', async () => {
  const shop = await openStripeShop();
  books(shop).disabled = disabled;
  const orderId = newId('order', harness.clock.nowMs());
  expect(await shop.pay({ orderId })).toMatchObject({ status: 'declined', reason: 'try_again_later' });
  expect(shop.intents().map(({ status }) => status)).toEqual(['canceled']);
  books(shop).disabled = undefined;
  expect(await shop.pay({ orderId, attemptNo: 2 })).toMatchObject({ status: 'succeeded' });
});
