import { expect, test } from 'vitest';
import { z } from 'zod';
import { createApiKeyBody, rotateApiKeyBody, signupBody, updateSettingsBody } from './accounts.ts';
import { createAffiliateBody, updateAffiliateBody } from './affiliates.ts';
import { limits, pageQueryOf } from './common.ts';
import { createDiscountBody } from './discounts.ts';
import type { DomainError, FieldError } from './errors.ts';
import { createFunnelEmailBody, createOfferBody } from './funnels.ts';
import { idSchema } from './ids.ts';
import { createOrderBody } from './orders.ts';
import { createProductBody } from './products.ts';
import { type InputPart, invalidField, parseInput } from './validation.ts';
import { putWebhookEndpointBody } from './webhooks.ts';

function refusalOf(schema: z.ZodType, input: unknown, part: InputPart = 'body'): DomainError {
  try {
    parseInput(schema, input, part);
  } catch (err) {
    return err as DomainError;
  }
  throw new Error('was accepted');
}

const page = pageQueryOf(idSchema('order')).strict();
const product = { name: 'Course', slug: 'course', priceCents: 1, pricingType: 'onetime' };
const order = { productSlug: 'course', email: 'ada@example.com' };
const knownOfOffer = 'known: headline, priceCents, active, accessUrl, description, compareAtCents';

/** What is sent, the field it is refused for, its code, and the words. */
const table: [string, z.ZodType, unknown, string, string, string][] = [
  ['missing', createOrderBody, { email: 'ada@example.com' }, 'productSlug', 'required', 'is required'],
  [
    'a missing choice',
    createProductBody,
    { ...product, pricingType: undefined },
    'pricingType',
    'required',
    'is required',
  ],
  ['an empty text', createProductBody, { ...product, name: '  ' }, 'name', 'required', 'is required'],
  ['no text', createOrderBody, { ...order, name: 7 }, 'name', 'wrong_type', 'must be a string'],
  [
    'a text too long',
    createOrderBody,
    { ...order, name: 'x'.repeat(201) },
    'name',
    'too_big',
    'must be at most 200 characters long',
  ],
  [
    'a text too short',
    signupBody,
    { email: 'a@example.com', name: 'A', password: 'short' },
    'password',
    'too_small',
    'must be at least 10 characters long',
  ],
  [
    'no number',
    createOfferBody,
    { headline: 'x', priceCents: '12' },
    'priceCents',
    'wrong_type',
    'must be a whole number',
  ],
  [
    'a fraction',
    createOfferBody,
    { headline: 'x', priceCents: 1.5 },
    'priceCents',
    'wrong_type',
    'must be a whole number',
  ],
  [
    'no number where fractions may be',
    rotateApiKeyBody,
    { overlapHours: 'x' },
    'overlapHours',
    'wrong_type',
    'must be a number',
  ],
  ['too small', createOfferBody, { headline: 'x', priceCents: -1 }, 'priceCents', 'too_small', 'must be at least 0'],
  ['too big', rotateApiKeyBody, { overlapHours: 169 }, 'overlapHours', 'too_big', 'must be at most 168'],
  [
    'beyond what a number holds',
    createOfferBody,
    { headline: 'x', priceCents: 2 ** 60 },
    'priceCents',
    'too_big',
    'must be at most 9007199254740991',
  ],
  [
    'a step between',
    createAffiliateBody,
    { code: 'a', name: 'A', email: 'a@example.com', commissionPercent: 1.001 },
    'commissionPercent',
    'invalid',
    'must be a multiple of 0.01',
  ],
  ['no boolean', createOrderBody, { ...order, test: 'yes' }, 'test', 'wrong_type', 'must be true or false'],
  [
    'another choice',
    createProductBody,
    { ...product, pricingType: 'free' },
    'pricingType',
    'unknown_value',
    'must be one of onetime, subscription',
  ],
  [
    'a choice of unlike values',
    createOfferBody,
    { headline: 'x', priceCents: 1, active: 2 },
    'active',
    'invalid',
    'must be one of 0, 1, true, false',
  ],
  ['no array', createOrderBody, { ...order, bumpIds: 'bmp' }, 'bumpIds', 'wrong_type', 'must be an array'],
  ['an empty array', createApiKeyBody, { name: 'k', scopes: [] }, 'scopes', 'too_small', 'must have at least 1 item'],
  [
    'an array too long',
    createOrderBody,
    { ...order, bumpIds: Array(51).fill('b') },
    'bumpIds',
    'too_big',
    'must have at most 50 items',
  ],
  [
    'a wrong item',
    createApiKeyBody,
    { name: 'k', scopes: ['read', 'all'] },
    'scopes.1',
    'unknown_value',
    'must be one of read, write, money',
  ],
  [
    'no email address',
    createOrderBody,
    { ...order, email: 'ada' },
    'email',
    'invalid_format',
    'must be an email address',
  ],
  [
    'no slug',
    createOrderBody,
    { ...order, productSlug: 'A B' },
    'productSlug',
    'invalid_format',
    'must be lower-case letters, digits and single hyphens',
  ],
  ['no URL', putWebhookEndpointBody, { url: 'ftp://x' }, 'url', 'invalid', 'must be an http or https URL'],
  [
    'no time',
    createApiKeyBody,
    { name: 'k', expiresAt: 'tomorrow' },
    'expiresAt',
    'invalid_format',
    'must be an ISO 8601 time with an offset, such as 2026-01-31T12:00:00Z',
  ],
  [
    'a time out of range',
    createApiKeyBody,
    { name: 'k', expiresAt: '1930-01-01T00:00:00Z' },
    'expiresAt',
    'invalid',
    'must lie between 1970 and 9999',
  ],
  [
    'no currency',
    updateSettingsBody,
    { defaultCurrency: 'xyz' },
    'defaultCurrency',
    'invalid',
    'must be a lower-case ISO 4217 currency code',
  ],
  [
    'no country',
    createOrderBody,
    { ...order, country: 'ZZ' },
    'country',
    'invalid',
    'must be a two-letter ISO 3166 country code',
  ],
  [
    'bytes too many',
    createFunnelEmailBody,
    { position: 1, sendDay: 0, subject: 's', body: 'ü'.repeat(60_000) },
    'body',
    'invalid',
    'must be at most 102400 bytes',
  ],
  [
    'neither of two',
    createDiscountBody,
    { code: 'A' },
    'percentOff',
    'invalid',
    'is required where amountOffCents is not given, and cannot be given together with it',
  ],
  [
    'both of two',
    updateAffiliateBody,
    { commissionPercent: 1, commissionCents: 1 },
    'commissionPercent',
    'invalid',
    'cannot be given together with commissionCents',
  ],
  [
    'a subscription without its interval',
    createProductBody,
    { ...product, pricingType: 'subscription' },
    'billingInterval',
    'invalid',
    'is required for a subscription',
  ],
  [
    'an unknown field',
    createOfferBody,
    { headline: 'x', priceCents: 1, colour: 1 },
    'colour',
    'unknown_field',
    `is not a known field; ${knownOfOffer}`,
  ],
  [
    'the spelling of the resource',
    createOfferBody,
    { headline: 'x', priceCents: 1, price_cents: 1 },
    'price_cents',
    'unknown_field',
    'is not a known field; did you mean priceCents?',
  ],
  [
    'a longer name of the resource',
    createOrderBody,
    { ...order, customer_email: 'a@example.com' },
    'customer_email',
    'unknown_field',
    'is not a known field; did you mean email?',
  ],
  [
    'a field where there is none',
    z.strictObject({}),
    { a: 1 },
    'a',
    'unknown_field',
    'is not a known field; there are none here',
  ],
  ['nothing at all', createOrderBody, undefined, '', 'required', 'is required'],
  ['no object', createOrderBody, [], '', 'wrong_type', 'must be an object'],
  [
    'a choice of shapes',
    z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string(), c: z.int() })]),
    { a: 1 },
    '',
    'invalid',
    'is not valid: a must be a string',
  ],
  [
    'no value of one',
    z.strictObject({ confirm: z.literal(true) }),
    { confirm: false },
    'confirm',
    'unknown_value',
    'must be true',
  ],
  [
    'no pattern’s words',
    z.strictObject({ a: z.string().regex(/^a$/) }),
    { a: 'b' },
    'a',
    'invalid_format',
    'has the wrong format',
  ],
  [
    'a key of a record',
    z.strictObject({ a: z.record(z.string().max(1), z.int()) }),
    { a: { bb: 1 } },
    'a.bb',
    'invalid',
    'has a name that must be at most 1 character long',
  ],
];

test.each(table)('%s: the words speak of the field', (_, schema, input, field, code, message) => {
  expect(refusalOf(schema, input).errors).toEqual([{ field, code, message }]);
});

test.each([
  ['no number', { limit: 'abc' }, 'limit', 'must be a whole number'],
  ['a fraction', { limit: '1.5' }, 'limit', 'must be a whole number'],
  ['given twice', { limit: ['1', '2'] }, 'limit', 'must be given once'],
  ['too many', { limit: '101' }, 'limit', 'must be at most 100'],
  ['no id', { before: 'x' }, 'before', 'must be an id beginning ord_'],
  ['unknown', { page: '2' }, 'page', 'is not a known query parameter; known: limit, before'],
])('a query parameter that is %s', (_, query, field, message) => {
  const refusal = refusalOf(page, query, 'query');
  expect(refusal.errors).toMatchObject([{ field, message }]);
  expect(refusal.message).toBe(`${field} ${message}.`);
});

test('the sentence says which field, or how many and which', () => {
  const details: [unknown, string][] = [
    [{ email: 'ada@example.com' }, 'productSlug is required.'],
    [{ ...order, price_cents: 1, productslug: 1 }, '2 fields are invalid: price_cents and productslug.'],
    [{ ...order, product_slug: 'a' }, 'product_slug is not a known field; did you mean productSlug?'],
    [undefined, 'The body is required.'],
    [
      { productSlug: 1, email: 1, name: 1, country: 1, test: 1, discountCode: 1, a: 1 },
      '7 fields are invalid: productSlug, email, name, discountCode, country and 2 more.',
    ],
  ];
  for (const [body, detail] of details) expect(refusalOf(createOrderBody, body).message).toBe(detail);
  expect(invalidField('expiresAt', 'must be in the future').message).toBe('expiresAt must be in the future.');
});

test('a field is reported once, by the first thing that is wrong with it', () => {
  expect(refusalOf(createOrderBody, { ...order, productSlug: `${'A'.repeat(90)}` }).errors).toEqual([
    { field: 'productSlug', code: 'too_big', message: 'must be at most 80 characters long' },
  ]);
});

const nonsense: [string, z.ZodType, unknown, FieldError][] = [
  [
    'items',
    putWebhookEndpointBody,
    { url: 'https://x.io', events: Array(125_000).fill(0) },
    { field: 'events', code: 'too_big', message: 'must have at most 100 items' },
  ],
  [
    'fields',
    createOfferBody,
    { headline: 'x', priceCents: 1, ...Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`f${i}`, 0])) },
    { field: 'f0', code: 'unknown_field', message: `is not a known field; ${knownOfOffer}` },
  ],
  [
    'characters in a name',
    createOfferBody,
    { headline: 'x', priceCents: 1, ['n'.repeat(250_000)]: 0 },
    { field: `${'n'.repeat(100)}…`, code: 'unknown_field', message: `is not a known field; ${knownOfOffer}` },
  ],
];

test.each(nonsense)(
  'however many %s are wrong, 50 errors are reported and what it costs is bounded',
  (_, schema, input, first) => {
    const { errors, message } = refusalOf(schema, input);
    expect(errors[0]).toEqual(first);
    expect(errors.length).toBeLessThanOrEqual(50);
    expect(JSON.stringify({ message, errors }).length).toBeLessThan(10_000);
  },
);

test('what is refused already is not read: an item after the maximum has no getter called', () => {
  const seen: number[] = [];
  const items = new Proxy(Array(10_000).fill(0), {
    get: (array, name, receiver) => {
      if (/^\d+$/.test(String(name))) seen.push(Number(name));
      return Reflect.get(array, name, receiver);
    },
  });
  refusalOf(putWebhookEndpointBody, { url: 'https://x.io', events: items });
  expect(Math.max(...seen)).toBeLessThanOrEqual(limits.arrayItems);
});

test('arrays nested ten thousand deep are refused like anything else', () => {
  let deep: unknown = [];
  for (let i = 0; i < 10_000; i++) deep = [deep];
  expect(refusalOf(createOrderBody, { ...order, name: deep }).errors).toMatchObject([{ field: 'name' }]);
});

test('a rule about several fields is told beside the faults of each field', () => {
  const faults = (schema: z.ZodType, body: unknown) => refusalOf(schema, body).errors.map(({ field }) => field);
  const choice = /^is required where|^cannot be given together/;
  expect(faults(createDiscountBody, { code: 'a b', maxUses: 0 })).toEqual(['code', 'maxUses', 'percentOff']);
  expect(faults(createDiscountBody, { percentage: 20 })).toEqual(['code', 'percentage', 'percentOff']);
  const wrongType = refusalOf(createDiscountBody, { code: 'a b', percentOff: '20' }).errors;
  expect(wrongType.map(({ field }) => field)).toEqual(['code', 'percentOff']);
  expect(wrongType.filter(({ message }) => choice.test(message))).toEqual([]);
  expect(faults(createAffiliateBody, { code: 'ada', name: 'Ada' })).toEqual(['email', 'commissionPercent']);
  const both = { name: '', commissionPercent: 10, commissionCents: 100 };
  expect(faults(updateAffiliateBody, both)).toEqual(['name', 'commissionPercent']);
  const subscription = { ...product, name: '', pricingType: 'subscription' };
  expect(faults(createProductBody, subscription)).toEqual(['name', 'billingInterval']);
  const unknownType = { ...product, pricingType: 'weekly', billingInterval: 'month' };
  expect(faults(createProductBody, unknownType)).toEqual(['pricingType']);
  for (const none of [null, [], 'text']) expect(faults(createDiscountBody, none)).toEqual(['']);
});
