import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Seals stored answers: some hold new API keys, which the database must never show. */
export interface BodySeal {
  seal(body: Uint8Array, boundTo: string): Buffer;
  open(sealed: Buffer, boundTo: string): Buffer;
}

const ivLength = 12;
const tagLength = 16;

/** AES-256-GCM under a key derived from the secret; an answer opens only for the record that it was sealed for. */
export function createBodySeal(secret: string): BodySeal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'idempotency-records', 32));
  return {
    seal: (body, boundTo) => {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(boundTo));
      const encrypted = [cipher.update(body), cipher.final()];
      return Buffer.concat([iv, cipher.getAuthTag(), ...encrypted]);
    },
    open: (sealed, boundTo) => {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivLength)).setAAD(Buffer.from(boundTo));
      decipher.setAuthTag(sealed.subarray(ivLength, ivLength + tagLength));
      return Buffer.concat([decipher.update(sealed.subarray(ivLength + tagLength)), decipher.final()]);
    },
  };
}
