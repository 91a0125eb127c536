import { expect, test } from 'vitest';
import { order, purchaseOf, samplePageOf } from '../../test/gallery/samples.ts';
import type { Html } from '../html.ts';
import type { Purchase } from './model.ts';
import { orderPage } from './order-page.ts';
import { thanksPage } from './thanks-page.ts';

const textOf = (page: Html): string => page.text.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
const bought = (name: string) => ({
  orderId: 'ord_1',
  paidAt: '2026-11-23T12:00:00.000Z',
  cardName: 'Card ending in 4242',
  email: 'bob@example.com',
  name,
  bought: [{ label: 'Course', href: null }],
  isUpsellDeclined: false,
  portalUrl: '/p/atelier',
});
const pages: Record<string, (of: Purchase) => Html> = {
  'before the payment': (of) => orderPage(samplePageOf(order, of)),
  'after it': (of) => thanksPage(samplePageOf(bought('Bob Ray'), of)),
};

test.each(Object.entries(pages))('the buyer of a subscription reads when it renews and how it ends: %s', (_, page) => {
  const ending = ' To cancel, write to help@atelier.example.';
  const monthly = textOf(page(purchaseOf({ billingInterval: 'month' }, 1_900)));
  expect(monthly).toContain(
    `Renews every month for $19.00, first one month after the payment, until you cancel.${ending}`,
  );
  const free = textOf(page(purchaseOf({ billingInterval: 'month' }, 0)));
  expect(free).toContain(`Renews every month, free of charge, until you cancel.${ending}`);
  expect(textOf(page(purchaseOf({})))).not.toContain('Renews');
});

test.each(Object.entries(pages))('a buyer who may cancel in the portal reads so, and of no letter: %s', (_, page) => {
  const of = purchaseOf({ billingInterval: 'month' }, 1_900);
  const text = textOf(page({ ...of, shop: { ...of.shop, portalCancel: true } }));
  expect(text).toContain('until you cancel. Cancel at any time in your purchases.');
  expect(text).not.toContain('To cancel, write to');
});

test('who pays nothing agrees by ordering', () => {
  const agreeing = (cents: number) => textOf(orderPage(samplePageOf(order, purchaseOf({}, cents))));
  expect(agreeing(0)).toContain('By ordering you agree to the terms');
  expect(agreeing(1_900)).toContain('By paying you agree to the terms');
});

test('a buyer of what has no link reads who delivers it', () => {
  const of = purchaseOf({});
  const without = textOf(thanksPage(samplePageOf(bought(''), of)));
  expect(without).toContain(
    'will send you what you bought, or tell you how to get it. If you hear nothing, write to help@',
  );
  const course = { label: 'Course', href: 'https://atelier.example/course' };
  const withLink = textOf(thanksPage(samplePageOf({ ...bought(''), bought: [course] }, of)));
  expect(withLink).toContain('Open what you bought');
  expect(withLink).not.toContain('will send');
});

test('where one of several things has a link its button names it, and a sentence says how the others come', () => {
  const things = [
    { label: 'Course', href: null },
    { label: 'Guide', href: 'https://atelier.example/guide' },
    { label: 'Print', href: null },
  ];
  const of = purchaseOf({});
  const text = textOf(thanksPage(samplePageOf({ ...bought(''), bought: things }, of)));
  expect(text).toContain('Open Guide');
  expect(text).not.toContain('Open what you bought');
  expect(text).toContain('Course, Print: Ada’s Atelier will send them to you, or tell you how to get them.');
  const one = textOf(thanksPage(samplePageOf({ ...bought(''), bought: things.slice(0, 2) }, of)));
  expect(one).toContain('Course: Ada’s Atelier will send it to you, or tell you how to get it.');
});

test('the thanks greet by name, where the buyer gave one', () => {
  expect(textOf(thanksPage(samplePageOf(bought('Bob Ray'), purchaseOf({ name: 'Club' }))))).toContain(
    'Thank you, Bob Ray. You bought Club.',
  );
  expect(textOf(thanksPage(samplePageOf(bought(''), purchaseOf({ name: 'Club' }))))).toContain(
    'Thank you. You bought Club.',
  );
});
