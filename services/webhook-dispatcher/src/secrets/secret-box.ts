import { randomBytes } from 'node:crypto';
import { createSealedBox, type Secrets, sealedVersion } from '@app/service-kit/sealed-box';

/** Only the account's seller can replace what cannot be opened; the message is for them. */
export class UnreadableSecretError extends Error {
  override readonly name = 'UnreadableSecretError';

  constructor(cause: unknown) {
    super('the signing secret or a header cannot be read any more: rotate the secret, and set the headers again', {
      cause,
    });
  }
}

/** Encrypts signing secrets for the database and its backups: each bound to its endpoint. */
export interface SecretBox {
  seal(secret: Buffer, endpointId: string): string;
  /**
   * @throws UnreadableSecretError when the text was sealed under another key, for another endpoint or in another version,
   * or was altered
   */
  open(sealed: string, endpointId: string): Buffer;
  /** Sealed anew where it is not under the `SECRETS_KEY` of today, else null. @throws UnreadableSecretError as `open` does */
  reseal(sealed: string, endpointId: string): string | null;
}

/** A sealed secret is text: the version as it is, the rest in Base64. */
export function createSecretBox(secretsKeys: Secrets): SecretBox {
  const box = createSealedBox(secretsKeys, 'webhook endpoint secrets');
  const { length } = sealedVersion;
  const toText = (sealed: Buffer): string => sealed.toString('latin1', 0, length) + sealed.toString('base64', length);
  const toBytes = (sealed: string): Buffer =>
    Buffer.concat([Buffer.from(sealed.slice(0, length)), Buffer.from(sealed.slice(length), 'base64')]);
  const readable = <T>(read: () => T): T => {
    try {
      return read();
    } catch (err) {
      throw new UnreadableSecretError(err);
    }
  };
  return {
    seal: (secret, endpointId) => toText(box.seal(secret, endpointId)),
    open: (sealed, endpointId) => readable(() => box.open(toBytes(sealed), endpointId)),
    reseal: (sealed, endpointId) => {
      const fresh = readable(() => box.reseal(toBytes(sealed), endpointId));
      return fresh === null ? null : toText(fresh);
    },
  };
}

const prefix = 'whsec_';

/** A new signing secret: 32 random bytes (Standard Webhooks requires 24 to 64). */
export const newSecret = (): Buffer => randomBytes(32);

/** The secret in the form of Standard Webhooks, as sellers and their libraries expect it. */
export const secretText = (secret: Buffer): string => prefix + secret.toString('base64');
