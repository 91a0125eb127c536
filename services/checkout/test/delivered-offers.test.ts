import { getOrder, orderPaid, orderResource, upsellAccepted } from '@app/contracts/orders';
import { getBuyerOrder } from '@app/contracts/portal';
import { beforeEach, expect, test } from 'vitest';
import { withUpsell } from './checkout-harness.ts';
import { context } from './harness.ts';
import { harness, startService } from './set-up.ts';

startService();

const links = {
  main: 'https://studio.example/course',
  bump: 'https://studio.example/guide',
  upsell: 'https://studio.example/coaching',
};
const [guide] = withUpsell.bumps;
const shop = {
  ...withUpsell,
  accessUrl: links.main,
  bumps: [
    { ...guide, id: 'bmp_1', headline: 'Guide', priceCents: 1_900, accessUrl: links.bump, description: 'Forty pages.' },
  ],
  upsell: {
    id: 'ups_1',
    headline: 'Coaching',
    priceCents: 4_900,
    accessUrl: links.upsell,
    description: 'One hour, by video.',
  },
};
const email = 'ada@example.com';

beforeEach(() => void harness.shop.set('acc_1/course', shop));

const linksOf = (lines: readonly { readonly accessUrl: string | null }[]) => lines.map(({ accessUrl }) => accessUrl);
const read = (orderId: string) => harness.base.requester.request(getOrder, { orderId }, context());
const readAsBuyer = (orderId: string) =>
  harness.base.requester.request(getBuyerOrder, { email, test: false, orderId }, context());

test('a buyer sees where each thing is once it is paid, and not before', async () => {
  const opened = await harness.open({ email, bumpIds: ['bmp_1'] });
  expect(JSON.stringify(opened)).not.toContain('studio.example');
  expect(opened.bumps).toMatchObject([{ id: 'bmp_1', description: 'Forty pages.' }]);
  const { status, upsell, orderId = '' } = await harness.pay(opened);
  expect({ status, upsell }).toMatchObject({ status: 'authorized', upsell: { description: 'One hour, by video.' } });
  expect(JSON.stringify(await harness.get(opened))).not.toContain('studio.example');
  expect(JSON.stringify(await readAsBuyer(orderId))).not.toContain('studio.example');

  await harness.decide(opened, true);
  expect(linksOf((await harness.get(opened)).lines)).toEqual([links.main, links.bump, links.upsell]);
  const receipt = await readAsBuyer(orderId);
  expect(receipt.items.map(({ access_url }) => access_url)).toEqual([links.main, links.bump, links.upsell]);
});

test('the order and its events keep what each thing is and where, whatever the catalog says later', async () => {
  const opened = await harness.open({ email, bumpIds: ['bmp_1'], discountCode: 'always' });
  const { orderId = '' } = await harness.pay(opened);
  harness.shop.set('acc_1/course', { ...withUpsell, accessUrl: null });
  await harness.decide(opened, true);
  const items = [
    { kind: 'main', label: 'Course', amountCents: 9_900, id: shop.productId, accessUrl: links.main },
    { kind: 'bump', label: 'Guide', amountCents: 1_900, id: 'bmp_1', accessUrl: links.bump },
    { kind: 'discount', label: 'ALWAYS', amountCents: -400, id: expect.stringMatching(/^dsc_/), accessUrl: null },
    { kind: 'upsell', label: 'Coaching', amountCents: 4_900, id: 'ups_1', accessUrl: links.upsell },
  ];
  const order = await read(orderId);
  expect(orderResource.shape.items.parse(order.items)).toEqual(
    items.map(({ accessUrl, amountCents, ...item }) => ({ ...item, amount_cents: amountCents, access_url: accessUrl })),
  );
  const [accepted, paid] = await harness.events();
  expect(upsellAccepted.data.parse(accepted?.data)).toMatchObject({ upsellId: 'ups_1', accessUrl: links.upsell });
  expect(orderPaid.data.parse(paid?.data)).toMatchObject({ items, lastFour: '4242' });
});

test('an order that was held before items had links is settled, listed and reported with what is known', async () => {
  const opened = await harness.open({ email, bumpIds: ['bmp_1'] });
  await harness.pay(opened);
  // As the version before wrote them.
  const bare = `(select json_agg(json_build_object('kind', i -> 'kind', 'label', i -> 'label', 'amount_cents', i -> 'amount_cents'))
    from json_array_elements(%) as i)`;
  await harness.query(`update checkout_attempts set sale = ((sale::jsonb || jsonb_build_object(
      'items', ${bare.replace('%', `sale -> 'items'`)},
      'upsell', (sale -> 'upsell')::jsonb - 'accessUrl' - 'description')))::json`);
  await harness.query(`update orders set items = ${bare.replace('%', 'items')}`);
  const former = { id: null, access_url: null };
  expect((await harness.list()).map(({ items }) => items)).toEqual([
    [
      { kind: 'main', label: 'Course', amount_cents: 9_900, id: shop.productId, access_url: null },
      { kind: 'bump', label: 'Guide', amount_cents: 1_900, ...former },
    ],
  ]);
  await harness.decide(opened, true);
  const [, paid] = await harness.events();
  expect(orderPaid.data.parse(paid?.data).items).toEqual([
    { kind: 'main', label: 'Course', amountCents: 9_900, id: shop.productId, accessUrl: links.main },
    { kind: 'bump', label: 'Guide', amountCents: 1_900, id: null, accessUrl: null },
    { kind: 'upsell', label: 'Coaching', amountCents: 4_900, id: 'ups_1', accessUrl: null },
  ]);
});

test('billing is requested to hold for an upsell without its link', async () => {
  await harness.pay(await harness.open({ email }));
  const [started] = harness.billing.started;
  expect(started?.hold?.upsell).toEqual({ upsellId: 'ups_1', headline: 'Coaching', amountCents: 4_900 });
});
