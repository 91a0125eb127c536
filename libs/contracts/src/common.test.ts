import { expect, test } from 'vitest';
import { z } from 'zod';
import { updateSettingsBody } from './accounts.ts';
import { createAutomationBody } from './automations.ts';
import { openCheckoutBody, updateCheckoutBody } from './checkouts.ts';
import { choiceOf, emailAddress, httpUrl, pageQueryOf } from './common.ts';
import { createDiscountBody } from './discounts.ts';
import type { DomainError } from './errors.ts';
import { idSchema, newId } from './ids.ts';
import { createOrderBody } from './orders.ts';
import { parseInput } from './validation.ts';
import { listActivity } from './webhook-deliveries.ts';
import { putWebhookEndpointBody } from './webhooks.ts';

function refusalOf(schema: z.ZodType, value: unknown): DomainError {
  try {
    parseInput(schema, value);
  } catch (err) {
    return err as DomainError;
  }
  throw new Error('was accepted');
}

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

test('addresses are accepted with their local part as typed and their domain in lower case', () => {
  const longLabel = 'a'.repeat(63);
  for (const address of [
    'ada@example.com',
    'Ada.Love-lace+tag@Example.CO',
    "o'neil!#$%&*/=?^`{|}~@x.io",
    'ü@bücher.example',
    'a@b.xn--p1ai',
    '1@2.c3',
    `${'l'.repeat(64)}@${longLabel}.${longLabel}.io`,
  ]) {
    const at = address.lastIndexOf('@');
    expect(emailAddress.parse(` ${address} `)).toBe(address.slice(0, at) + address.slice(at).toLowerCase());
  }
});

test('what cannot be an address is refused: misplaced dots, labels that begin or end with a hyphen, numbers as a domain', () => {
  for (const address of [
    '',
    'ada',
    'ada@example',
    '@example.com',
    '.ada@example.com',
    'ada.@example.com',
    'a..da@example.com',
    'ada@.example.com',
    'ada@example..com',
    'ada@example.com.',
    'ada@-example.com',
    'ada@example-.com',
    'ada@example.-com',
    'ada@example.com-',
    'ada@example.c',
    'ada@example.123',
    'ada@127.0.0.1',
    'ada@x@example.com',
    'a da@example.com',
    'ada@exam ple.com',
    'ada\u0000@example.com',
    `${'l'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `ada@${'a.'.repeat(125)}com`,
  ]) {
    expect(accepts(emailAddress, address), address).toBe(false);
  }
});

test('long nonsense is refused as an address in time that grows with its length alone', () => {
  // An expression that goes back over its text would take minutes for this, and meet the time limit of tests.
  const n = 100_000;
  const nonsense = [
    'a'.repeat(n),
    'a.'.repeat(n),
    `a@${'a'.repeat(n)}`,
    `a@${'1.'.repeat(n)}`,
    `a@x.${'1'.repeat(n)}-`,
  ];
  for (const text of nonsense) expect(accepts(emailAddress, text)).toBe(false);
});

test('a URL is kept as typed', () => {
  for (const url of [
    'https://example.com',
    'HTTP://x.io:8080/a?b=%20#c',
    'https://bücher.example/ü',
    'http://[::1]/',
  ]) {
    expect(httpUrl.parse(url)).toBe(url);
  }
});

test('a URL that a parser would change, or that is none, is refused', () => {
  for (const url of [
    '',
    'example.com',
    'ftp://example.com',
    'javascript:alert(1)',
    'https://',
    'https:example.com',
    'https:/example.com',
    'https:///example.com',
    'https:\\\\example.com',
    'https://example.com\\path',
    ' https://example.com',
    'https://example.com ',
    'https://example.com/a b',
    'https://example.com/\u00a0',
    'https://exam\nple.com',
    'https://example.com/\t',
    'https://example.com\r\nx: y',
    'https://example.com/\u0000',
    'https://example.com/\u007f',
    'https://example.com/\ud800',
    'https://example.com:99999',
    `https://example.com/${'a'.repeat(2_048)}`,
  ]) {
    expect(accepts(httpUrl, url), url).toBe(false);
  }
});

test('a page begins before an id of the kind that the list has, and before nothing else', () => {
  const page = pageQueryOf(idSchema('order'));
  const id = newId('order', Date.now());
  expect(page.parse({ before: id, limit: '5' })).toEqual({ before: id, limit: 5 });
  expect(page.parse({})).toEqual({});
  for (const before of ['', 'nonsense', id.slice(4), `${id}0`, newId('product', Date.now()), id.toUpperCase()]) {
    expect(refusalOf(page, { before }).errors, before).toMatchObject([{ field: 'before' }]);
  }
});

test('Recent activity pages by both kinds of its entries', () => {
  for (const kind of ['attempt', 'notice'] as const) {
    expect(accepts(listActivity.input, { before: newId(kind, Date.now()) })).toBe(true);
  }
  expect(refusalOf(listActivity.input, { before: newId('delivery', Date.now()) }).errors).toMatchObject([
    { field: 'before', message: 'must be an id beginning att_ or ntc_' },
  ]);
});

test('a choice keeps each of its values once, in the order of choosing, and is never empty', () => {
  expect(choiceOf(z.enum(['a', 'b'])).parse(['b', 'a', 'b', 'b'])).toEqual(['b', 'a']);
  expect(accepts(choiceOf(z.enum(['a', 'b'])), [])).toBe(false);
  const events = Array.from({ length: 100 }, () => 'order.paid');
  expect(putWebhookEndpointBody.parse({ url: 'https://x.io', events })).toMatchObject({ events: ['order.paid'] });
});

test.each([
  ['https://maya.example/a b', 'must not contain spaces'],
  [' https://maya.example', 'must not contain spaces'],
  ['https://maya.example:0/x', 'must not name the port 0'],
  ['https://maya..example/x', 'must not have two dots in a row in its host'],
  ['https://maya.example/x#part', 'must have no fragment (what follows #)'],
])('the URL of a receiver %j is refused in words', (url, message) => {
  expect(refusalOf(putWebhookEndpointBody, { url }).errors).toMatchObject([{ field: 'url', message }]);
});

test('what kind of action it is is required, and the kinds are named; a name of a business is one line', () => {
  const body = (action: object) => ({ name: 'x', event: 'order.paid', action });
  expect(refusalOf(createAutomationBody, body({})).errors).toMatchObject([{ field: 'action.type', code: 'required' }]);
  expect(refusalOf(createAutomationBody, body({ type: 'fax' })).errors).toMatchObject([
    { field: 'action.type', message: 'must be one of email, post' },
  ]);
  expect(refusalOf(updateSettingsBody, { businessName: 'Maya\r\nBcc: eve@example.com' }).errors).toMatchObject([
    { field: 'businessName', message: 'must be one line without control characters' },
  ]);
});

test.each([
  ['blanks', ' SAVE10\u00a0'],
  ['zero width spaces and joiners', 'S\u200bAVE\u200c10\u200d'],
  ['marks of direction', '\u200eSAVE10\u200f'],
  ['a word joiner', 'SAVE\u206010'],
  ['a soft hyphen', 'SA\u00adVE10'],
  ['a byte order mark', '\ufeffSAVE10'],
  ['full-width letters', 'ＳＡＶＥ１０'],
  ['all of them', '\u200e ＳＡ\u00adＶＥ１０ \u200b'],
])('a discount code with %s is the code without', (_, code) => {
  expect(createDiscountBody.parse({ code, percentOff: 10 }).code).toBe('SAVE10');
  expect(openCheckoutBody.parse({ handle: 'a', slug: 'b', discountCode: code }).discountCode).toBe('SAVE10');
  expect(updateCheckoutBody.parse({ discountCode: code }).discountCode).toBe('SAVE10');
  expect(createOrderBody.parse({ productSlug: 'a', email: 'a@b.co', discountCode: code }).discountCode).toBe('SAVE10');
});

test('a discount code of nothing visible is none, and one with other letters is refused where it is made', () => {
  expect(accepts(createDiscountBody, { code: '\u200b\u00ad', percentOff: 10 })).toBe(false);
  expect(accepts(createDiscountBody, { code: 'SÄVE', percentOff: 10 })).toBe(false);
  expect(updateCheckoutBody.parse({ discountCode: '\u200b' })).toEqual({ discountCode: '' });
  expect(refusalOf(updateCheckoutBody, { discountCode: 'A'.repeat(51) }).errors).toMatchObject([
    { field: 'discountCode', code: 'too_big' },
  ]);
});
