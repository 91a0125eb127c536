import { z } from 'zod';
import { currenciesInUse } from './currencies.ts';
import { emailKey, envelopeBytes } from './email-key.ts';

/** PostgreSQL cannot store NUL, and UTF-8 has no lone surrogates: such text is refused, never altered. */
const storable = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000');

/**
 * For a rule about several fields of a body: it is checked beside those of each field, because a caller is told all faults at once.
 * Without it Zod asks it only once each field is right.
 */
export const besideFields = {
  when: ({ value }: { readonly value: unknown }): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** Text of at most `max` characters, without surrounding white space. */
export function text(max: number, min = 0) {
  return z.string().trim().min(min).max(max).refine(storable, 'must not contain NUL or lone surrogates');
}

export const isOneLine = (value: string): boolean => /^\P{Cc}*$/u.test(value);
export const oneLineRule = 'must be one line without control characters';

/** A line of text, as for headers of emails. */
export function line(max: number, min = 0) {
  return text(max, min).refine(isOneLine, oneLineRule);
}

/** Text kept exactly as given (email bodies, tokens). */
export function rawText(max: number, min = 0) {
  return z.string().min(min).max(max).refine(storable, 'must not contain NUL or lone surrogates');
}

/** Limits of the platform, in characters unless the name says otherwise. */
export const limits = {
  name: 200,
  description: 2_000,
  offerDescription: 400,
  slug: 80,
  url: 2048,
  email: 254, // RFC 5321: a path is at most 256 octets with its two angle brackets
  emailBodyBytes: 100 * 1024,
  bodyBytes: 256 * 1024,
  bumpIds: 50,
  utm: 200,
  // No array of a body may have a larger maximum of its own.
  arrayItems: 100,
  listMax: 100,
  // A page is one message of NATS, 8 MiB with its headers: 256 KiB stay for those and for what is not a row.
  pageBytes: 8 * 1024 * 1024 - 256 * 1024,
  // A list without paging must fit a NATS message of 8 MiB, with the longest texts and in JSON: 1,000 products of 7.7 KB,
  // 2 × 100 offers of 6 KB and 100 discounts, and emails of 1 MiB as JSON writes them (a control character is six bytes there).
  productsPerAccount: 1_000,
  offersPerProduct: 100,
  /** As many as products have: each may take 150 KB. */
  offerImagesPerAccount: 1_000,
  discountsPerProduct: 100,
  emailsPerProduct: 50,
  emailBytesPerProduct: 1024 * 1024,
  affiliatesPerAccount: 5_000,
  webhookEndpointsPerAccount: 20,
  automationsPerAccount: 100,
  templateBytes: 20 * 1024,
} as const;

const localPart = String.raw`(?=[^@]{1,64}@)[^\s@"(),:;<>[\\\]\p{C}.]+(?:\.[^\s@"(),:;<>[\\\]\p{C}.]+)*`;
/** What `domainToASCII` takes for a letter, a joiner or a dot; whether they make a domain is seen in ASCII. */
const domainText = String.raw`[\p{L}\p{M}\p{N}\u200c\u200d.。．｡-]+`;
const addressPattern = new RegExp(`^${localPart}@${domainText}$`, 'u');

function checkEnvelope({ value, issues }: z.core.ParsePayload<string>): void {
  if (value.length > limits.email || !addressPattern.test(value)) return;
  const bytes = envelopeBytes(value);
  if (bytes === null) issues.push({ code: 'invalid_format', format: 'email', input: value });
  else if (bytes > limits.email)
    issues.push({ code: 'too_big', origin: 'string', maximum: limits.email, inclusive: true, input: value });
}

/**
 * A pragmatic subset of RFC 5321 addresses: one @, no white space, quotes or control characters, dots only between
 * other characters, a domain with a dot that ends in no number. A domain in other letters is taken where it has a form in ASCII.
 * The domain is lower-cased (it is case-insensitive); the local part is kept as typed. Addresses are compared by `emailKey`.
 */
export const emailAddress = z
  .string()
  .trim()
  .max(limits.email)
  .regex(addressPattern, 'must be an email address')
  .refine(storable, 'must not contain NUL or lone surrogates')
  .check(checkEnvelope)
  .overwrite((address) => {
    const at = address.lastIndexOf('@');
    return address.slice(0, at) + address.slice(at).toLowerCase();
  });

/**
 * Whether an email to the address could arrive. Names under `.invalid` never exist (RFC 6761, 6.4): the buyers of the demo shop
 * have such addresses, and no service sends them an email.
 */
export const canReceiveEmail = (address: string): boolean => !emailKey(address).endsWith('.invalid');

/**
 * A discount code as a buyer types or pastes it. What nobody sees (joiners, marks of direction, soft hyphens) and the width of
 * letters are no part of it, as blanks around it are none.
 */
export const typedCode = z
  .string()
  .overwrite((code) =>
    code
      .normalize('NFKC')
      .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
      .trim(),
  )
  .max(50)
  .refine(storable, 'must not contain NUL or lone surrogates');

export const slug = z
  .string()
  .min(1)
  .max(limits.slug)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single hyphens');

const currencies = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));

/** Of what is there already: its currency may have ended since. */
export const currency = z
  .string()
  .refine((code) => currencies.has(code) || currenciesInUse.has(code), 'must be a lower-case ISO 4217 currency code');

/** Of what is new. */
export const newCurrency = currency.refine((code) => currenciesInUse.has(code), 'must be a currency that is in use');

/** 9,999,999,999 minor units: a hundred lines of it still add up exactly in a double. */
export const maxAmountCents = 9_999_999_999;

export const amountCents = z.int().min(0).max(maxAmountCents);

/** Refuses what URL parsers drop, reverse or fill in: white space, controls, backslashes, missing slashes. */
const plainUrl = /^https?:\/\/[^/\\\s\p{Cc}][^\\\s\p{Cc}]*$/iu;

/** The text is stored as typed, so that a seller sees the address that is called. */
export const httpUrl = z
  .string()
  .max(limits.url)
  .refine((value) => !/\s/.test(value), 'must not contain spaces')
  .refine((value) => plainUrl.test(value) && URL.canParse(value) && storable(value), 'must be an http or https URL')
  .refine((value) => URL.parse(value)?.port !== '0', 'must not name the port 0')
  .refine((value) => !/^\.|\.\./.test(URL.parse(value)?.hostname ?? ''), 'must not have two dots in a row in its host');

/** An address that buyers are led to. */
export const httpsUrl = httpUrl.refine((value) => /^https:/i.test(value), 'must begin with https://');

/** The URL of a receiver: what follows # is never sent. */
export const receiverUrl = httpUrl.refine((value) => !value.includes('#'), 'must have no fragment (what follows #)');

/** ISO 8601 UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z');

/** A time in a body: ISO 8601 with any offset, in years that a `timestamp` can show in UTC. */
export const instant = z.iso.datetime({ offset: true }).refine((value) => {
  const ms = Date.parse(value);
  return ms >= 0 && ms <= lastInstantMs;
}, 'must lie between 1970 and 9999');

/** A span of time that a list may be narrowed by. */
export const spanFilters = {
  from: instant.optional().describe('From this time on, which is included.'),
  to: instant.optional().describe('Before this time, which is not included.'),
};

export const flag = z.union([z.literal(0), z.literal(1)]);

/** @param id schema of the ids that the list is sorted by */
export function pageQueryOf<Id extends z.ZodType<string>>(id: Id) {
  return z.object({
    limit: z.coerce.number().int().min(1).max(limits.listMax).optional().describe('How many at most.'),
    before: id.optional().describe('Id of the last one of the page before. It may have left the filters since.'),
  });
}
export type PageQuery = z.infer<ReturnType<typeof pageQueryOf>>;

/** A choice of one or more values; repeated ones are dropped. */
export function choiceOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .min(1)
    .max(limits.arrayItems)
    .overwrite((chosen) => [...new Set(chosen)]);
}

/** `has_more` is present when paging was requested, and when the list is longer than the first page of 100. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), has_more: z.boolean().optional() });
}

/** For resources that show a secret once. */
export const secretNotice = z
  .string()
  .optional()
  .describe('In place of the secret, when a repetition under the same Idempotency-Key gets the first answer again.');

/** Of a resource that people edit: an update may say which one it was made from. */
export const version = z.int().describe('Counts the changes by its update, which takes it as `If-Match`.');
/** The version that an update was made from; the caller sends it as `If-Match`. */
export const ifVersion = { ifVersion: z.int().optional() };

export const okResult = z.object({ ok: z.literal(true) }).meta({ id: 'Ok' });
