import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts signing secrets for the database and its backups: AES-256-GCM, bound to their endpoint. */
export interface SecretBox {
  seal(secret: Buffer, endpointId: string): string;
  /** @throws when the text was sealed under another key, for another endpoint, or was altered */
  open(sealed: string, endpointId: string): Buffer;
}

const [ivBytes, tagBytes] = [12, 16];
/** Names the key and the layout, so that either can change while old rows stay readable. */
const version = 'v1.';

export function createSecretBox(secretsKey: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secretsKey, '', 'webhook endpoint secrets', 32));
  return {
    seal: (secret, endpointId) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(endpointId));
      const sealed = Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
      return version + sealed.toString('base64');
    },
    open: (sealed, endpointId) => {
      if (!sealed.startsWith(version)) throw new Error(`the secret of ${endpointId} is sealed in an unknown way`);
      const bytes = Buffer.from(sealed.slice(version.length), 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(endpointId)).setAuthTag(bytes.subarray(-tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]);
    },
  };
}

const prefix = 'whsec_';

/** A new signing secret: 32 random bytes (Standard Webhooks asks for 24 to 64). */
export const newSecret = (): Buffer => randomBytes(32);

/** The secret in the form of Standard Webhooks, as sellers and their libraries expect it. */
export const secretText = (secret: Buffer): string => prefix + secret.toString('base64');
