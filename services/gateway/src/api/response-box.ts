import {
  createSealedBox,
  nonceBytes,
  type SealedBox,
  type Secrets,
  sealedVersion,
  tagBytes,
} from '@app/service-kit/sealed-box';

/** Seals stored responses: some hold new API keys, which the database must never show. */
export function createResponseBox(secrets: Secrets): SealedBox {
  const box = createSealedBox(secrets, 'idempotency-records');
  return {
    seal: box.seal,
    open: (sealed, boundTo) => {
      try {
        return box.open(sealed, boundTo);
      } catch {
        // The tag decides, not the first bytes: the random nonce of a response without a version may begin as one.
        return box.open(withVersion(sealed), boundTo);
      }
    },
    reseal: (sealed, boundTo) => {
      try {
        return box.reseal(sealed, boundTo);
      } catch {
        return box.reseal(withVersion(sealed), boundTo);
      }
    },
  };
}

/** Responses of up to 30 days ago have no version: they are nonce, tag and ciphertext. */
function withVersion(sealed: Uint8Array): Buffer {
  const nonce = sealed.subarray(0, nonceBytes);
  const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
  return Buffer.concat([sealedVersion, nonce, sealed.subarray(nonceBytes + tagBytes), tag]);
}
