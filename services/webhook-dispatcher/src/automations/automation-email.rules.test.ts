import { fieldsOf, hasBuyer, samplePayloadOf } from '@app/contracts/triggers';
import { expect, test } from 'vitest';
import { automationEmail } from './automation-email.rules.ts';
import { builtIns, currentWords } from './built-in.rules.ts';
import { formerWords } from './former-words.rules.ts';
import { templateProblem } from './template.rules.ts';

const shop = {
  name: 'Maya & Co',
  supportEmail: 'help@mayapaints.example',
  logoUrl: 'https://funnels.example/images/logos/l.png',
  accentColor: '#8a1c4a',
  termsUrl: 'https://mayapaints.example/terms',
  refundPolicyUrl: null,
  purchasesUrl: 'https://funnels.example/p/maya-paints',
  withdrawalUrl: 'https://funnels.example/p/maya-paints/withdraw',
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
  expect(subject).toBe('Receipt: $194.65 for Course');
  expect(text).toBe(`Hello Maya,

Thank you for your order at Maya & Co.

Your access: https://mayapaints.example/course

Coaching: Maya & Co will send it to you, or tell you how to get it. If you hear nothing, reply to this email.

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

Withdraw from contract here: https://funnels.example/p/maya-paints/withdraw
`);
  for (const shown of ['Workbook', '−$22.35', '$194.65', 'Card ending in 4242', 't9y0b4cd', '20 Nov 2026'])
    expect(html).toContain(shown);
  const links = ['https://mayapaints.example/course', 'https://mayapaints.example/book', shop.purchasesUrl];
  for (const href of [...links, shop.withdrawalUrl]) expect(html).toContain(`href="${href}"`);
  expect(html).toContain('Maya &amp; Co');
});

test('the button of a receipt names what it opens where more was bought, and a sentence says how the rest comes', () => {
  const item = (kind: string, label: string, accessUrl: string) => ({ id: '', kind, label, amountCents: 0, accessUrl });
  const emailOf = (accessUrl: string, ...items: unknown[]) =>
    automationEmail(receipt, { ...samplePayloadOf('order.paid'), accessUrl, items, total: '$0.00' }, shop, false);
  const course = 'https://mayapaints.example/course';
  const alone = emailOf(course, item('main', 'Course', course));
  expect(alone.html).toContain('>Open what you bought</a>');
  expect(alone.text).not.toContain('will send');
  const both = emailOf(course, item('main', 'Course', course), item('bump', 'Print', ''));
  expect(both.html).toContain('>Open Course</a>');
  expect(both.text).toContain('Print: Maya & Co will send it to you, or tell you how to get it.');
  const without = emailOf('', item('main', 'Course', ''), item('bump', 'Book', 'https://mayapaints.example/book'));
  expect(without.text).toContain('Course: Maya & Co will send it to you');
  expect(without.text).toContain('Book  $0.00\n  https://mayapaints.example/book');
  const none = emailOf('', item('main', 'Course', ''), item('bump', 'Print', ''), item('discount', 'SPRING', ''));
  expect(none.text).toContain('Maya & Co will send you what you bought, or tell you how to get it.');
});

test('a receipt without a name begins with a capital, and one number of the order is in every email to its buyer', () => {
  const unnamed = { ...samplePayloadOf('order.paid'), name: '', firstName: '' };
  expect(automationEmail(receipt, unnamed, shop, false).text).toMatch(/^Thank you for your order/);
  for (const { key, event, action } of builtIns.filter(({ action: { to } }) => to === 'buyer')) {
    const { text } = automationEmail(action, samplePayloadOf(event), shop, false);
    expect(text, key).not.toMatch(/ord_/);
  }
  for (const key of ['refund_notice', 'partial_refund_notice', 'hold_end_notice']) {
    const { event, action } = builtIns.find((one) => one.key === key) ?? expect.fail();
    expect(automationEmail(action, samplePayloadOf(event), shop, false).text).toContain('Order: t9y0b4cd\n');
  }
});

test('the notice of a sale lists what was sold with its amounts, and leads to the order', () => {
  const items = [
    { id: 'prd_1', kind: 'main', label: 'Course', amountCents: 14_900, accessUrl: 'https://mayapaints.example/course' },
    { id: 'bmp_1', kind: 'bump', label: 'Workbook', amountCents: 1_900, accessUrl: '' },
    { id: 'dsc_1', kind: 'discount', label: 'SPRING', amountCents: -1_680, accessUrl: '' },
  ];
  const order = { ...samplePayloadOf('order.paid'), product: 'Course', items, total: '$151.20' };
  const orderUrl = 'https://funnels.example/app/orders/ord_1';
  const emailOf = (change: object) => automationEmail(wordsOf('sale_notice'), { ...order, ...change }, shop, false);
  const { text, html } = emailOf({ orderUrl });
  expect(text).toBe(`maya@example.com bought Course for $151.20.

Course  $149.00
Workbook  $19.00
Discount (SPRING)  −$16.80
Total  $151.20

Name: Maya Lindqvist
Country: Sweden
Affiliate: ANNA
Order: t9y0b4cd

See the order: ${orderUrl}
`);
  expect(html).toMatch(/href="https:\/\/funnels\.example\/app\/orders\/ord_1"[^>]*>See the order<\/a>/);
  expect(html).toContain('−$16.80');
  expect(html).not.toMatch(/<tbody>\s*<\/tbody>/);
  expect(emailOf({}).text).not.toContain('See the order');
  expect(emailOf({ items: undefined, orderUrl }).text).toContain('\nCourse  $151.20\nTotal  $151.20\n');
});

test('an upsell that was accepted later is listed too, and in a sentence items are names', () => {
  const action = { to: 'seller', subject: 'x', body: 'With {{items}}:\n{{items}}' } as const;
  expect(automationEmail(action, samplePayloadOf('upsell.accepted'), shop, false).text).toBe(
    'With A year of live sessions:\n\nA year of live sessions  $29.00\nTotal  $29.00\n',
  );
});

test('refunds have their sum in the title', () => {
  const titleOf = (key: string) => {
    const { event, action } = builtIns.find((one) => one.key === key) ?? expect.fail();
    return automationEmail(action, samplePayloadOf(event), shop, false).subject;
  };
  expect(titleOf('refund_notice')).toBe('Refund: $68.00 for Watercolour Course');
  expect(titleOf('partial_refund_notice')).toMatch(/^Refund: \$[\d.]+ for Watercolour Course$/);
});

test('a dispute is in words, with the last moment for evidence as a date', () => {
  const { text } = automationEmail(wordsOf('dispute_notice'), samplePayloadOf('dispute.opened'), shop, false);
  expect(text).toContain('Reason: Product not received\n');
  expect(text).toContain('Last moment for evidence: 9 Dec 2026, 23:59 UTC\n');
  const closed = { ...samplePayloadOf('dispute.closed'), outcome: 'warning_closed', evidenceDueBy: '' };
  const ended = automationEmail(wordsOf('dispute_end_notice'), closed, shop, false);
  expect(ended.subject).toContain('has ended: warning closed');
  expect(ended.text).not.toContain('Last moment');
});

test('a shop that takes no withdrawals links to none, and neither does an email to the seller', () => {
  const payload = samplePayloadOf('order.paid');
  const { text, html } = automationEmail(receipt, payload, { ...shop, withdrawalUrl: '' }, false);
  expect(`${text}${html}`).not.toMatch(/withdraw/i);
  expect(automationEmail(wordsOf('sale_notice'), payload, shop, false).text).not.toMatch(/withdraw/i);
});

const wordsOf = (key: string) => builtIns.find((one) => one.key === key)?.action ?? expect.fail();

test('the receipt of a renewal has the amount, the day, the card, the order and the period', () => {
  const emailOf = (change: object) =>
    automationEmail(
      wordsOf('renewal_receipt'),
      { ...samplePayloadOf('subscription.rebilled'), ...change },
      shop,
      false,
    );
  const { subject, text } = emailOf({});
  expect(subject).toBe('Receipt: $19.00 for Watercolour Club');
  expect(text).toContain(
    'Total  $19.00\nDate: 30 Nov 2026\nPaid with: Card ending in 4242\nOrder: t9y0b4cd\nPaid for: 30 Nov 2026 to 31 Dec 2026\n',
  );
  expect(emailOf({ wallet: 'apple_pay' }).text).toContain('Paid with: Apple Pay ···· 4242\n');
  const stored = { orderId: undefined, lastFour: undefined, wallet: undefined };
  expect(emailOf(stored).text).toContain('Date: 30 Nov 2026\nPaid for: ');
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
  expect(textOf({ attempt: 3, nextTryDays: 0 })).not.toMatch(/try again|Nothing is lost|ended/);
});

const lastFailure = { ...samplePayloadOf('subscription.payment_failed'), attempt: 4, nextTryDays: 0 };

test('the failed renewal with which a subscription ends says so, and leads to the product instead of the card', () => {
  const links = { cardUrl: '', buyAgainUrl: 'https://funnels.example/c/maya-paints/prd_1' };
  const payload = { ...lastFailure, ...links };
  const { subject, text, html } = automationEmail(wordsOf('payment_failed_notice'), payload, shop, false);
  expect(subject).toBe('Your subscription has ended. Your payment for Watercolour Club did not go through');
  expect(text).toContain(
    'Your subscription has ended. It will not be charged again, and the time you paid for stays yours.\n',
  );
  expect(text).toContain('Buy it again: https://funnels.example/c/maya-paints/prd_1\n');
  expect(text).not.toMatch(/try again|Nothing is lost|card:/);
  expect(html).toContain('>Buy it again</a>');
});

test('the seller is told that a subscription ended with a failed renewal', () => {
  const { subject, text } = automationEmail(wordsOf('renewal_failed_notice'), lastFailure, shop, false);
  expect(subject).toBe('The subscription has ended. A renewal of Watercolour Club failed: $19.00 of maya@example.com');
  expect(text).toContain('The subscription has ended. It will not be charged again.\n');
  expect(text).not.toContain('Next try');
});

test('a failed renewal speaks to the seller of the buyer', () => {
  const textFor = (reason: string | undefined) => {
    const payload = { ...samplePayloadOf('subscription.payment_failed'), reason };
    return automationEmail(wordsOf('renewal_failed_notice'), payload, shop, false).text;
  };
  expect(textFor('authentication_required')).toContain('The buyer’s bank wants them to confirm the payment.');
  expect(textFor('ask_bank')).toContain('The buyer’s bank declined it, and tells only the buyer why.');
  expect(textFor(undefined)).toContain('The card was declined, or the buyer’s bank wants them to confirm the payment.');
  for (const reason of ['authentication_required', 'ask_bank', undefined])
    expect(textFor(reason)).not.toMatch(/\byour?\b/i);
});

test('a receipt names the wallet, and of an order without a card none', () => {
  const textOf = (change: object) =>
    automationEmail(receipt, { ...samplePayloadOf('order.paid'), ...change }, shop, false).text;
  expect(textOf({ wallet: 'apple_pay' })).toContain('Paid with: Apple Pay ···· 4242\n');
  expect(textOf({ wallet: 'google_pay', lastFour: '' })).toContain('Paid with: Google Pay\n');
  expect(textOf({ lastFour: '' })).not.toContain('Paid with');
});

test('a receipt of a payload that an earlier version stored has the product and the total', () => {
  const { items, lastFour, wallet, immediateAccess, ...stored } = samplePayloadOf('order.paid');
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
  const [words = expect.fail()] = formerWords.receipt ?? [];
  const former = { ...receipt, ...words };
  expect(currentWords('receipt', former)).toEqual(receipt);
  const own = { ...former, subject: 'Mine' };
  expect(currentWords('receipt', own)).toBe(own);
  expect(currentWords(null, former)).toBe(former);
});

test('the email of a rehearsal says so in its subject', () => {
  expect(automationEmail(receipt, samplePayloadOf('order.paid'), shop, true).subject).toMatch(/^\[Test\] Receipt: /);
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
