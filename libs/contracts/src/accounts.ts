import { z } from 'zod';
import { accentForm, isVisibleAccent } from './accent-color.ts';
import {
  choiceOf,
  emailAddress,
  httpsUrl,
  httpUrl,
  instant,
  limits,
  line,
  newCurrency,
  rawText,
  secretNotice,
  slug,
  text,
  timestamp,
  version,
} from './common.ts';
import { defineEvent, defineRequest } from './define.ts';
import { factorMethod, logInWithFactorBody } from './factors.ts';
import { idSchema } from './ids.ts';
import { cardProcessor } from './payment-processors.ts';

/** The gateway owns accounts, so these are shapes of its HTTP interface and of no message. */
export const apiKeyScopes = ['read', 'write', 'money'] as const;
export const apiKeyScope = z.enum(apiKeyScopes);
export type ApiKeyScope = z.infer<typeof apiKeyScope>;

/** At least 10 characters (NIST SP 800-63B requires 8 or more and no composition rules). */
const newPassword = rawText(200, 10).describe(
  'At least 10 characters. The commonest passwords and the account’s own email address are refused.',
);

/** With a new password. */
const revokeKeys = z
  .boolean()
  .optional()
  .describe('Revokes every API key of the account too: for when others may know them.');

export const signupBody = z
  .strictObject({ email: emailAddress, password: newPassword, name: line(limits.name, 1) })
  .meta({ id: 'SignUp' });
export const signupResult = z.object({ ok: z.literal(true), accountId: idSchema('account') }).meta({ id: 'SignedUp' });
/** What a log-in gets whose password or link was right, and which goes on at `logInWithFactor`. */
const factorDueResult = z
  .object({
    ok: z.literal(false),
    factorDue: z.literal(true),
    methods: z.array(factorMethod).describe('What the user can give here; `passkey` under a host name alone.'),
  })
  .meta({ id: 'FactorDue' });
export const loginResult = z.union([signupResult, factorDueResult]).meta({ id: 'LoggedIn' });
export const loginBody = z.strictObject({ email: emailAddress, password: rawText(200, 1) }).meta({ id: 'Login' });
export const changePasswordBody = z
  .strictObject({ password: rawText(200, 1).describe('The current one.'), newPassword, revokeKeys })
  .meta({ id: 'PasswordChange' });
/** What proves that the person of a session is there: each way is a body of its own. */
export const confirmBody = z
  .union([
    z.strictObject({ password: rawText(200, 1).describe('Of the user who is logged in.') }),
    ...logInWithFactorBody.options,
  ])
  .meta({ id: 'Confirm' });
export type ConfirmBody = z.infer<typeof confirmBody>;
export const confirmedResult = z.object({ ok: z.literal(true), confirmedUntil: timestamp }).meta({ id: 'Confirmed' });
export const changeEmailBody = z
  .strictObject({
    email: emailAddress,
    password: rawText(200, 1).optional().describe('The current one, in place of `confirm` before.'),
  })
  .meta({ id: 'EmailChange' });
export const sessionResource = z
  .object({
    id: idSchema('session'),
    current: z.boolean().describe('Whether it is the session of this request.'),
    address: z
      .string()
      .nullable()
      .describe('The IP address that opened it, of IPv6 the /64 network; null when it is not known.'),
    user_agent: z.string().nullable().describe('The program that opened it, as it named itself.'),
    factor: factorMethod.nullable().describe('What it was opened with beside the password or link; null for nothing.'),
    created_at: timestamp,
    last_used_at: timestamp.nullable().describe('At most a minute late.'),
    expires_at: timestamp,
  })
  .meta({ id: 'Session' });
export const meResource = z
  .object({
    accountId: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    name: z.string(),
    handle: z.string(),
    isCopy: z
      .boolean()
      .describe(
        'Whether the deployment is a copy of another one: then it only reads, until its operator makes it the original.',
      ),
    emailFolder: z
      .string()
      .nullable()
      .optional()
      .describe(
        'Where emails are files, as this deployment has no mail server (`SMTP_URL`): a folder of the computer that it runs on. Null where they are sent.',
      ),
  })
  .meta({ id: 'Me' });

/** As the operations that redeem a link get it. */
const letterToken = rawText(200, 20).describe('The end of the link.');
/** The link reaches whoever reads the mailbox, who may be somebody else than who gave its address. */
const accountPassword = rawText(200, 1)
  .optional()
  .describe('Of the account that the link is of. Left out where this browser has a session of its user.');
export const verifyEmailBody = z
  .strictObject({ token: letterToken, password: accountPassword })
  .meta({ id: 'EmailVerification' });
export const confirmEmailBody = z
  .strictObject({ token: letterToken, password: accountPassword })
  .meta({ id: 'EmailConfirmation' });
export const confirmSupportEmailBody = z.strictObject({ token: letterToken }).meta({ id: 'SupportEmailConfirmation' });
export const readLetterBody = z.strictObject({ token: letterToken }).meta({ id: 'LetterRead' });
export const letterResource = z
  .object({
    purpose: z.enum(['verification', 'email_change', 'support_email']),
    email: z.string().describe('The address that it went to.'),
    account: z.object({ name: z.string(), created_at: timestamp }),
    password_due: z
      .boolean()
      .describe('Whether the password of the account is needed: this browser has no session of its user.'),
    set_up: z
      .object({
        api_keys: z.int(),
        webhook_hosts: z.array(z.string()).nullable().describe('Null while it cannot be read.'),
        automations: z.int().nullable().describe('Of its own making; null while it cannot be read.'),
        payment_processor: cardProcessor.nullable().describe('Null while it cannot be read.'),
      })
      .nullable()
      .describe('What was set up before the address was verified; null for an account that has a verified one.'),
  })
  .meta({ id: 'Letter' });
export const loginLinkBody = z.strictObject({ token: letterToken }).meta({ id: 'LoginLink' });
export const requestPasswordResetBody = z.strictObject({ email: emailAddress }).meta({ id: 'PasswordResetRequest' });
export const resetPasswordBody = z
  .strictObject({ token: letterToken, password: newPassword, revokeKeys })
  .meta({ id: 'PasswordReset' });

export const apiKeyResource = z
  .object({
    id: idSchema('apiKey'),
    name: z.string(),
    prefix: z.string().describe('The first characters of the key, to recognise it by.'),
    last_four: z.string(),
    scopes: z.array(apiKeyScope),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable(),
    revoked_at: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });
export const createdApiKeyResource = apiKeyResource
  .extend({
    key: z.string().optional().describe('The key itself; only in the first answer.'),
    secret_notice: secretNotice,
  })
  .meta({ id: 'ApiKeyCreated' });
export const createApiKeyBody = z
  .strictObject({
    name: text(limits.name, 1),
    scopes: choiceOf(apiKeyScope).optional(),
    expiresAt: instant.nullable().optional(),
  })
  .meta({ id: 'ApiKeyCreate' });
export const rotateApiKeyBody = z
  .strictObject({
    overlapHours: z.number().min(0).max(168).optional().describe('How long the old key still works; 24 unless said.'),
  })
  .meta({ id: 'ApiKeyRotate' });

/** Settings as other services get them. */
export const accountSettings = z.object({
  handle: z.string(),
  businessName: z.string(),
  supportEmail: z.string(),
  supportEmailVerified: z
    .boolean()
    .default(false)
    .describe(
      'Whether emails may be sent to `supportEmail`. Before, buyers’ answers go there, and what is for you goes to `email`.',
    ),
  email: z.string().describe('The address that the account’s user logs in with; see `changeEmail`.'),
  emailVerified: z.boolean().describe('Until it is, the account sends no emails: see `requestVerification`.'),
  defaultCurrency: z.string(),
  testMode: z.boolean(),
  holdDecisionMinutes: z.int(),
  nudgeAfterMinutes: z.int(),
  commissionHoldDays: z.int(),
  cancellationNotices: z.boolean(),
  dailyChargeLimit: z
    .int()
    .describe(
      'A daily run charges up to so many times what is normal, and 100 charges of a currency in any case; the rest waits for the next run. 0 is no limit.',
    ),
  checkoutUrl: z
    .string()
    .nullable()
    .describe('The page that reminders lead to: the seller’s own checkout page; null is the hosted one.'),
  accentColor: z.string().nullable().describe('The colour of buttons on the hosted pages; null is the pages’ own.'),
  termsUrl: z.string().nullable().describe('The seller’s terms, linked on the hosted pages.'),
  refundPolicyUrl: z.string().nullable().describe('The seller’s refund policy, linked on the hosted pages.'),
  logoName: z.string().nullable().default(null).describe('The name of the picture on the hosted pages and in emails.'),
  portalCancel: z.boolean().describe('Whether buyers may cancel their subscriptions in the portal.'),
  portalPause: z.boolean().describe('Whether buyers may pause and resume their subscriptions in the portal.'),
  withdrawalDays: z
    .int()
    .default(14)
    .describe(
      'For so many days after a purchase consumers may withdraw from it; the shop’s pages and receipts link to the page that takes withdrawals. 0: it has no such page, for sellers whom the law of the EU does not bind.',
    ),
  immediateAccessConsent: z
    .boolean()
    .default(false)
    .describe(
      'Whether buyers tick on the checkout that they want access at once, and know that they lose the right to withdraw by it.',
    ),
  statementSuffix: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'Stands on the statements of buyers’ cards after the name that Stripe has of the business, for payments of Stripe; null: the name alone.',
    ),
});
export type Settings = z.infer<typeof accountSettings>;

export const settingsResource = accountSettings
  .omit({ logoName: true })
  .extend({
    supportEmailPending: z
      .string()
      .nullable()
      .describe(
        'The address given for `supportEmail` that has not confirmed yet: nothing uses it. It gets its email once the account’s own address is verified. See `requestSupportEmailVerification`.',
      ),
    logoUrl: z.string().nullable().describe('The logo on the hosted pages; see `putLogo`.'),
    version,
  })
  .meta({ id: 'Settings' });

/**
 * What a new account begins with, beside its handle, its name and its addresses. One that signs up over HTTP is not verified;
 * the value here is that of accounts whose last event is older than the setting.
 */
export const newAccountSettings = {
  supportEmailVerified: false,
  email: '',
  emailVerified: true,
  defaultCurrency: 'usd',
  testMode: false,
  holdDecisionMinutes: 60,
  nudgeAfterMinutes: 60,
  commissionHoldDays: 30,
  cancellationNotices: false,
  dailyChargeLimit: 3,
  checkoutUrl: null,
  accentColor: null,
  termsUrl: null,
  refundPolicyUrl: null,
  logoName: null,
  portalCancel: true,
  portalPause: true,
  withdrawalDays: 14,
  immediateAccessConsent: false,
  statementSuffix: null,
} as const satisfies Omit<Settings, 'handle' | 'businessName' | 'supportEmail'>;

/** Where there is no account, or none is known yet: its names are empty. */
export const unknownAccountSettings: Settings = {
  ...newAccountSettings,
  handle: '',
  businessName: '',
  supportEmail: '',
};

const accentColor = z
  .string()
  .regex(accentForm, 'must be a colour such as #0b5f4f')
  .toLowerCase()
  .refine(
    (color) => !accentForm.test(color) || isVisibleAccent(color),
    'must have a contrast of at least 3 : 1 on the light page (#f7f7f5): choose a darker colour',
  );

/**
 * Stripe takes 22 characters of which the name in front has ten, `*` and a space two; a letter must be in the suffix, and some
 * characters may not: https://docs.stripe.com/get-started/account/statement-descriptors.
 */
const statementSuffix = z
  .string()
  .trim()
  .regex(
    /^(?=.*[A-Za-z])[A-Za-z0-9 .,&/+-]{1,10}$/,
    'must have 1 to 10 letters, digits, spaces or . , & / + -, with a letter among them, such as KILN CLUB',
  );

export const updateSettingsBody = z
  .strictObject({
    handle: slug,
    businessName: line(limits.name, 1),
    supportEmail: emailAddress.describe(
      'Another than the account’s own gets an email first, and is `supportEmailPending` until it has confirmed.',
    ),
    defaultCurrency: newCurrency,
    testMode: z.boolean(),
    holdDecisionMinutes: z
      .int()
      .min(1)
      .max(7 * 24 * 60),
    nudgeAfterMinutes: z
      .int()
      .min(10)
      .max(7 * 24 * 60),
    commissionHoldDays: z.int().min(0).max(365),
    cancellationNotices: z.boolean(),
    dailyChargeLimit: z.int().min(0).max(1_000),
    checkoutUrl: httpUrl.nullable(),
    accentColor: accentColor.nullable(),
    termsUrl: httpsUrl.nullable(),
    refundPolicyUrl: httpsUrl.nullable(),
    portalCancel: z.boolean(),
    portalPause: z.boolean(),
    withdrawalDays: z
      .int()
      .min(0)
      .max(365)
      .refine((days) => days === 0 || days >= 14, 'must be 0, or at least 14'),
    immediateAccessConsent: z.boolean(),
    statementSuffix: statementSuffix.nullable(),
  })
  .partial()
  .meta({ id: 'SettingsUpdate' });

/** An account was made, or its settings changed. `revision` counts the changes: the highest one holds. */
export const accountSettingsChanged = defineEvent(
  'gateway',
  'account.settings-changed',
  1,
  accountSettings.extend({ revision: z.int(), changedAt: timestamp }),
);

/**
 * Gives checkout the settings of an account before their event arrives. Sent when test mode is switched, so that every payment
 * that begins after the switch was answered sees it; the event stays what holds when checkout was out.
 */
export const applySettings = defineRequest('command', 'checkout', 'settings.apply', {
  input: z.object({ settings: accountSettings, revision: z.int() }),
  output: z.object({ ok: z.literal(true) }),
});

/**
 * An account whose address was never verified was taken back by a reset that went there: what was set up before is not the
 * owner's. Services end what sends or takes anything elsewhere; the gateway requests the same of them before it answers.
 */
export const accountTakenBack = defineEvent('gateway', 'account.taken-back', 1, z.object({ takenBackAt: timestamp }));

/** Removes every endpoint and every automation of the account; built-in automations are as at first again. */
export const revokeEndpoints = defineRequest('command', 'webhook-dispatcher', 'endpoints.revoke-all', {
  input: z.object({}),
  output: z.object({ ok: z.literal(true) }),
});
/** Forgets every key of a payment processor that the account stored; it has chosen none then. */
export const revokeProcessor = defineRequest('command', 'billing', 'payment-processor.revoke', {
  input: z.object({}),
  output: z.object({ ok: z.literal(true) }),
});
