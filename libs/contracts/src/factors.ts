import { z } from 'zod';
import { line, secretNotice, timestamp } from './common.ts';
import { idSchema } from './ids.ts';

/** What a log-in can go on with after the password. */
export const factorMethods = ['passkey', 'code', 'backup_code'] as const;
export const factorMethod = z.enum(factorMethods);
export type FactorMethod = z.infer<typeof factorMethod>;

const passkeyNameMax = 60;
const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9_-]*$/, 'must be base64url')
    .meta({ contentEncoding: 'base64url' });

const credential = {
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal('public-key'),
  authenticatorAttachment: z.string().max(40).nullable().optional(),
  clientExtensionResults: z.looseObject({}).optional(),
};

/** What `navigator.credentials.get` resolves to, as its `toJSON` writes it. */
export const passkeyAssertion = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url(8_000),
      authenticatorData: base64url(8_000),
      signature: base64url(8_000),
      userHandle: base64url(200).nullable().optional(),
    }),
  })
  .meta({ id: 'PasskeyAssertion' });
export type PasskeyAssertion = z.infer<typeof passkeyAssertion>;

/** What `navigator.credentials.create` resolves to, as its `toJSON` writes it. */
const passkeyAttestation = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url(8_000),
      attestationObject: base64url(60_000),
      transports: z.array(z.string().max(40)).max(10).optional(),
    }),
  })
  .meta({ id: 'PasskeyAttestation' });

const code = z.string().max(40).describe('Of the authenticator app, six digits, or a backup code. Each works once.');

export const logInWithFactorBody = z
  .union([z.strictObject({ code }), z.strictObject({ passkey: passkeyAssertion })])
  .meta({ id: 'LoginFactor' });
export type FactorProof = z.infer<typeof logInWithFactorBody>;

/** Options for `navigator.credentials.get`, with binary fields in base64url. */
export const passkeyChallenge = z
  .object({
    challenge: z.string().meta({ contentEncoding: 'base64url' }),
    rpId: z.string(),
    timeout: z.int().describe('Milliseconds.'),
    userVerification: z.literal('required'),
  })
  .meta({ id: 'PasskeyChallenge' });

/** Options for `navigator.credentials.create`, with binary fields in base64url. */
export const passkeyOptions = z
  .looseObject({ challenge: z.string().meta({ contentEncoding: 'base64url' }) })
  .meta({ id: 'PasskeyOptions' });

export const createPasskeyBody = z
  .strictObject({ name: line(passkeyNameMax, 1), credential: passkeyAttestation })
  .meta({ id: 'PasskeyCreate' });
export const renamePasskeyBody = z.strictObject({ name: line(passkeyNameMax, 1) }).meta({ id: 'PasskeyRename' });

export const passkeyResource = z
  .object({
    id: idSchema('passkey'),
    name: z.string(),
    created_at: timestamp,
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'Passkey' });

const backupCodes = z
  .array(z.string())
  .optional()
  .describe('Ten codes that work once each, in place of a passkey or code; only in the first answer.');
export const createdPasskeyResource = passkeyResource
  .extend({ backupCodes, secret_notice: secretNotice })
  .meta({ id: 'PasskeyCreated' });
export const backupCodesResult = z
  .object({ ok: z.literal(true), backupCodes, secret_notice: secretNotice })
  .meta({ id: 'BackupCodes' });

export const codesSetUp = z
  .object({
    secret: z.string().optional().describe('In base32, to be typed into an authenticator app.'),
    uri: z.string().describe('The same for a QR code.'),
  })
  .meta({ id: 'OneTimeCodesSetUp' });
export const activateCodesBody = z.strictObject({ code: z.string().max(40) }).meta({ id: 'OneTimeCodesActivate' });

export const factorsResource = z
  .object({
    codes: z.boolean().describe('Whether codes of an authenticator app are in use.'),
    backupCodesLeft: z.int(),
    passkeys: z.array(passkeyResource),
    passkeysOffered: z.boolean().describe('Whether browsers use passkeys at this address: not at an IP address.'),
  })
  .meta({ id: 'Factors' });
