import { fieldsOf, hasBuyer, samplePayloadOf } from '@app/contracts/triggers';
import { expect, test } from 'vitest';
import { automationEmail } from './automation-email.rules.ts';
import { builtIns, currentWords } from './built-in.rules.ts';
import { templateProblem } from './template.rules.ts';

const shop = {
  name: 'Maya & Co',
  supportEmail: 'help@mayapaints.example',
  logoUrl: 'https://funnels.example/images/logos/l.png',
  accentColor: '#8a1c4a',
  termsUrl: 'https://mayapaints.example/terms',
  refundPolicyUrl: null,
  purchasesUrl: 'https://funnels.example/p/maya-paints',
};
const receipt = builtIns.find(({ key }) => key === 'receipt')?.action ?? expect.fail();

test.each(builtIns)(
  'the built-in “$name” names fields that its event has, to a recipient that it has',
  ({ event, action }) => {
    for (const part of [action.subject, action.body])
      expect(templateProblem(part, fieldsOf(event, action.to))).toBeUndefined();
    expect(action.to === 'seller' || hasBuyer(event)).toBe(true);
    const email = automationEmail(action, samplePayloadOf(event), shop, false);
    expect(`${email.subject}\n${email.text}`).not.toMatch(/\{\{|undefined|null/);
  },
);

test('a receipt lists what was bought, the discount, the total, the date, the card, the order, and where each thing is', () => {
  const items = [
    { id: 'prd_1', kind: 'main', label: 'Course', amountCents: 14_900, accessUrl: 'https://mayapaints.example/course' },
    { id: 'bmp_1', kind: 'bump', label: 'Workbook', amountCents: 1_900, accessUrl: 'https://mayapaints.example/book' },
    { id: 'ups_1', kind: 'upsell', label: 'Coaching', amountCents: 4_900, accessUrl: '' },
    { id: 'dsc_1', kind: 'discount', label: 'SPRING', amountCents: -2_235, accessUrl: '' },
  ];
  const order = { ...samplePayloadOf('order.paid'), product: 'Course', items, total: '$194.65' };
  const { subject, text, html } = automationEmail(receipt, order, shop, false);
  expect(subject).toBe('Your receipt from Maya & Co: Course');
  expect(text).toBe(`Hello Maya,

thank you for your order at Maya & Co.

Your access: https://mayapaints.example/course

Course  $149.00
Workbook  $19.00
  https://mayapaints.example/book
Coaching  $49.00
Discount (SPRING)  −$22.35
Total  $194.65
Date: 20 Nov 2026
Paid with: Card ending in 4242
Order: t9y0b4cd

All your purchases: https://funnels.example/p/maya-paints

Questions? Reply to this email, or write to help@mayapaints.example.
`);
  for (const shown of ['Workbook', '−$22.35', '$194.65', 'Card ending in 4242', 't9y0b4cd', '20 Nov 2026'])
    expect(html).toContain(shown);
  for (const href of ['https://mayapaints.example/course', 'https://mayapaints.example/book', shop.purchasesUrl])
    expect(html).toContain(`href="${href}"`);
  expect(html).toContain('Maya &amp; Co');
});

const wordsOf = (key: string) => builtIns.find((one) => one.key === key)?.action ?? expect.fail();

test('the receipt of a renewal has the amount, the day and the period', () => {
  const { subject, text } = automationEmail(
    wordsOf('renewal_receipt'),
    samplePayloadOf('subscription.rebilled'),
    shop,
    false,
  );
  expect(subject).toBe('Watercolour Club was renewed for $19.00');
  expect(text).toContain('Total  $19.00\nDate: 30 Nov 2026\nPaid for: 30 Nov 2026 to 31 Dec 2026\n');
});

test('a failed renewal says why, when it is tried next, and that nothing is lost until then', () => {
  const textOf = (change: object) => {
    const payload = { ...samplePayloadOf('subscription.payment_failed'), ...change };
    return automationEmail(wordsOf('payment_failed_notice'), payload, shop, false).text;
  };
  const first = textOf({});
  expect(first).toContain('did not go through. The account of the card did not have enough money.\n');
  expect(first).toContain('We try again on 3 Dec 2026. Nothing is lost until then.');
  expect(textOf({ reason: 'authentication_required' })).toContain('The bank wants you to confirm the payment.');
  expect(textOf({ reason: undefined })).toContain('The card was declined, or your bank wants you to confirm');
  expect(textOf({ attempt: 4, nextTryDays: 0 })).not.toMatch(/try again|Nothing is lost/);
});

test('a receipt names the wallet, and of an order without a card none', () => {
  const textOf = (change: object) =>
    automationEmail(receipt, { ...samplePayloadOf('order.paid'), ...change }, shop, false).text;
  expect(textOf({ wallet: 'apple_pay' })).toContain('Paid with: Apple Pay ···· 4242\n');
  expect(textOf({ wallet: 'google_pay', lastFour: '' })).toContain('Paid with: Google Pay\n');
  expect(textOf({ lastFour: '' })).not.toContain('Paid with');
});

test('a receipt of a payload that an earlier version stored has the product and the total', () => {
  const { items, lastFour, wallet, ...stored } = samplePayloadOf('order.paid');
  const { text } = automationEmail(receipt, stored, shop, false);
  expect(text).toContain('Watercolour Course  $68.00\nTotal  $68.00\nDate: 20 Nov 2026\nOrder: t9y0b4cd\n');
});

test('a seller’s own email lists what was bought, and a link that is in no line of its own is at its item', () => {
  const action = { to: 'buyer', subject: '{{items}}', body: 'Yours:\n{{receipt}}\nBye {{receipt}}' } as const;
  const { subject, text } = automationEmail(action, samplePayloadOf('order.paid'), shop, false);
  expect(subject).toBe('Watercolour Course, Printable workbook');
  expect(text).toContain('Yours:\n\nWatercolour Course  $49.00\n  https://mayapaints.example/course\n');
  expect(text).not.toContain('Bye');
});

test('the words of a built-in that nobody changed are those of this version; changed ones stay', () => {
  const former = {
    ...receipt,
    body: receipt.body.replace(
      'Your access: {{accessUrl}}\n\n{{receipt}}\n\nAll your purchases: {{purchasesUrl}}',
      () => '{{product}}\nPaid: {{total}}\nOrder: {{orderId}}\n\nYour access: {{accessUrl}}',
    ),
  };
  expect(currentWords('receipt', former)).toEqual(receipt);
  const own = { ...former, subject: 'Mine' };
  expect(currentWords('receipt', own)).toBe(own);
  expect(currentWords(null, former)).toBe(former);
});

test('the email of a rehearsal says so in its subject', () => {
  expect(automationEmail(receipt, samplePayloadOf('order.paid'), shop, true).subject).toMatch(/^\[Test\] Your receipt/);
});

test('a name that may be a message is in no email to the address that came with it, and in the seller’s own', () => {
  const payload = { ...samplePayloadOf('order.paid'), name: 'Win at evil.example', firstName: 'Win' };
  expect(automationEmail(receipt, payload, shop, false).text).not.toMatch(/Win|evil|Hello/);
  const action = { to: 'buyer', subject: '{{name}}', body: '{{name}} {{firstName}}' } as const;
  expect(automationEmail(action, payload, shop, false)).toMatchObject({ subject: 'Maya & Co', text: '' });
  expect(automationEmail({ ...action, to: 'seller' }, payload, shop, false).subject).toBe('Win at evil.example');
});

test('values that are no text are written out, and what is no value at all is empty', () => {
  const action = { to: 'seller', subject: '{{totalCents}} {{test}} {{list}}', body: 'x' } as const;
  expect(automationEmail(action, { totalCents: 6800, test: true, list: [1] }, shop, false).subject).toBe('6800 true');
});
