import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import {
  createSealedBox,
  nonceBytes,
  type SealedBox,
  type Secrets,
  sealedVersion,
  tagBytes,
} from '@app/service-kit/sealed-box';

/** Most answers are some hundred bytes: less is not worth a frame of 20. */
const compressedFromBytes = 200;
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** An answer is compressed before it is sealed, as what it is bound to says: a process of before does not take it for JSON. */
const compressedAt = (boundTo: string): string => `zstd ${boundTo}`;

/** Seals stored responses: some hold new API keys, which the database must never show. They are compressed where that makes them smaller. */
export function createResponseBox(secrets: Secrets): SealedBox {
  const box = createSealedBox(secrets, 'idempotency-records');
  return {
    seal: (plain, boundTo) => {
      if (plain.length < compressedFromBytes) return box.seal(plain, boundTo);
      const compressed = zstdCompressSync(plain, fast);
      return compressed.length < plain.length ? box.seal(compressed, compressedAt(boundTo)) : box.seal(plain, boundTo);
    },
    open: (sealed, boundTo) => {
      const compressed = opened(() => box.open(sealed, compressedAt(boundTo)));
      if (compressed !== null) return zstdDecompressSync(compressed);
      // The tag decides, not the first bytes: the random nonce of a response without a version may begin as one.
      return opened(() => box.open(sealed, boundTo)) ?? box.open(withVersion(sealed), boundTo);
    },
    reseal: (sealed, boundTo) => {
      try {
        return box.reseal(sealed, compressedAt(boundTo));
      } catch {
        // It is not compressed.
      }
      try {
        return box.reseal(sealed, boundTo);
      } catch {
        return box.reseal(withVersion(sealed), boundTo);
      }
    },
  };
}

function opened(open: () => Buffer): Buffer | null {
  try {
    return open();
  } catch {
    return null;
  }
}

/** Responses of up to 30 days ago have no version: they are nonce, tag and ciphertext. */
function withVersion(sealed: Uint8Array): Buffer {
  const nonce = sealed.subarray(0, nonceBytes);
  const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
  return Buffer.concat([sealedVersion, nonce, sealed.subarray(nonceBytes + tagBytes), tag]);
}
