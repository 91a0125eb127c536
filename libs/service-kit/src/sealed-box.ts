import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts values before they are stored, so that neither the database nor its backups show them. */
export interface SealedBox {
  /** @param boundTo what the value belongs to, such as its row's key: it opens for that alone */
  seal(plain: Uint8Array, boundTo: string): Buffer;
  /** @throws Error when the value was sealed with another key, for something else or in another version, or was altered */
  open(sealed: Uint8Array, boundTo: string): Buffer;
  /** The value sealed anew where it is not under the secret of today; null where it is. @throws Error as `open` does */
  reseal(sealed: Uint8Array, boundTo: string): Buffer | null;
}

/** A secret of the deployment, and while it is being rotated the one before, which opens what is not sealed anew yet. */
export type Secrets = readonly [current: string, ...previous: string[]];

/** @param previous undefined while nothing is being rotated */
export const secretsOf = (current: string, previous: string | undefined): Secrets =>
  previous === undefined ? [current] : [current, previous];

/** Begins every sealed value: it names key and layout, so that either can change while old values stay readable. */
export const sealedVersion = Buffer.from('v1.');
export const nonceBytes = 12;
export const tagBytes = 16;

/**
 * AES-256-GCM. A sealed value is the version, a random nonce, the ciphertext and the tag.
 * @param purpose goes into the key: one secret of the deployment gives each purpose a key of its own
 */
export function createSealedBox(secrets: Secrets, purpose: string): SealedBox {
  const [current, ...previous] = secrets.map((secret) => createKeyBox(secret, purpose)) as [KeyBox, ...KeyBox[]];
  const openEarlier = (sealed: Uint8Array, boundTo: string, cause: unknown): Buffer => {
    for (const earlier of previous) {
      try {
        return earlier.open(sealed, boundTo);
      } catch {
        // The error of the secret of today says what is wrong.
      }
    }
    throw cause;
  };
  return {
    seal: current.seal,
    open: (sealed, boundTo) => {
      try {
        return current.open(sealed, boundTo);
      } catch (err) {
        return openEarlier(sealed, boundTo, err);
      }
    },
    reseal: (sealed, boundTo) => {
      try {
        current.open(sealed, boundTo);
        return null;
      } catch (err) {
        return current.seal(openEarlier(sealed, boundTo, err), boundTo);
      }
    },
  };
}

type KeyBox = Pick<SealedBox, 'seal' | 'open'>;

function createKeyBox(secret: string, purpose: string): KeyBox {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  return {
    seal: (plain, boundTo) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(boundTo));
      return Buffer.concat([sealedVersion, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed, boundTo) => {
      if (!hasVersion(sealed)) throw new Error('the value was sealed in another version');
      const bytes = Buffer.from(sealed).subarray(sealedVersion.length);
      const options = { authTagLength: tagBytes };
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), options);
      decipher.setAAD(Buffer.from(boundTo)).setAuthTag(bytes.subarray(-tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    },
  };
}

/** Whether a value begins with the version, as everything does that `seal` makes. */
function hasVersion(sealed: Uint8Array): boolean {
  return sealedVersion.equals(sealed.subarray(0, sealedVersion.length));
}
