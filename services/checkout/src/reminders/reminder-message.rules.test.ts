import { expect, test } from 'vitest';
import { type Reminder, reminderText } from './reminder-message.rules.ts';

const shop = {
  name: 'Ada’s Courses',
  supportEmail: 'help@example.com',
  logoUrl: null,
  accentColor: null,
  termsUrl: null,
  refundPolicyUrl: null,
  purchasesUrl: 'https://shop.example/p/ada',
  withdrawalUrl: 'https://shop.example/p/ada/withdraw',
};
const reminder = (change: Partial<Reminder> = {}): Reminder => ({
  shop,
  buyerName: 'Bob',
  productName: 'Course',
  totalCents: 114_00,
  currency: 'usd',
  link: 'https://shop.example/c/ada/course?checkout=cko_1#secret=s',
  optOutLink: 'https://shop.example/c/opt-out/t',
  ...change,
});

test('both parts have the product, the total, the link and the way out', () => {
  const { subject, text, html, headers } = reminderText(reminder());
  expect(subject).toBe('Course: your checkout at Ada’s Courses is still open');
  for (const part of [text, html]) {
    for (const reported of [
      'Hello Bob,',
      '$114.00',
      'help@example.com',
      'https://shop.example/c/opt-out/t',
      'cko_1#secret=s',
    ]) {
      expect(part).toContain(reported);
    }
  }
  expect(headers['List-Unsubscribe']).toBe('<https://shop.example/c/opt-out/t>');
  expect(headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
});

test('an amount of a currency without cents is one, and a buyer without a name is greeted', () => {
  const { text } = reminderText(reminder({ totalCents: 1_500, currency: 'jpy', buyerName: null }));
  expect(text).toContain('¥1,500');
  expect(text).toMatch(/^Hello,\n/);
});

test('what buyers and sellers wrote is text: no markup, no line and no direction of its own', () => {
  const hostile = '<img src=x onerror="a()">\r\nBcc: eve@example.com\u2028\u202Eback';
  const { subject, text, html } = reminderText(
    reminder({ buyerName: hostile, productName: hostile, shop: { ...shop, name: hostile, supportEmail: hostile } }),
  );
  expect(subject).not.toMatch(/[\r\n\u2028\u202E]/);
  expect(text).not.toMatch(/[\r\u2028\u202E]|^Bcc/m);
  expect(html).not.toMatch(/<img|[\r\u2028\u202E]|^Bcc/m);
  expect(html).toContain('&lt;img src=x onerror=&quot;a()&quot;&gt; Bcc');
});

test.each([
  ['Bob Miller', 'Hello Bob,'],
  ['  Zoë-Marie O’Hara', 'Hello Zoë-Marie,'],
  ['You won, claim at http://evil.example now', 'Hello,'],
  ['Free evil.example', 'Hello,'],
  ['Bob eve@example.com', 'Hello,'],
  ['Call +1:555', 'Hello,'],
  ['WWW.EVIL', 'Hello,'],
  [`Bob ${'x'.repeat(60)}`, 'Hello,'],
  ['x'.repeat(31), 'Hello,'],
  ['12345', 'Hello,'],
  ['\n', 'Hello,'],
])('the greeting has no more of what was written as a name than a first word: %j', (buyerName, greeting) => {
  const { text, html } = reminderText(reminder({ buyerName }));
  expect(text.split('\n')[0]).toBe(greeting);
  expect(html).toContain(`>${greeting}</p>`);
});
