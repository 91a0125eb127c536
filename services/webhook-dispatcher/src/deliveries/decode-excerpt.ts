import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { createSemaphore } from '@app/service-kit/semaphore';

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush, ZSTD_d_windowLogMax } = constants;

/** Each takes a beginning alone, without an error at its end. */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ finishFlush: Z_SYNC_FLUSH }),
  'x-gzip': () => createGunzip({ finishFlush: Z_SYNC_FLUSH }),
  deflate: () => createInflate({ finishFlush: Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ finishFlush: BROTLI_OPERATION_FLUSH }),
  // 8 MiB, what RFC 9659 allows on the web; without it a head alone may ask for 128.
  zstd: () => createZstdDecompress({ finishFlush: ZSTD_e_flush, params: { [ZSTD_d_windowLogMax]: 23 } }),
};

/** A decoder of Brotli keeps up to 16 MiB, and a receiver chooses how many it makes us begin. */
const decoding = createSemaphore(2);

/**
 * The beginning of a compressed answer as text that its seller can read. Whatever a few bytes would become, no more than `maxBytes` are
 * made of them. What cannot be decoded stays as it is.
 * @param coding the header Content-Encoding
 */
export async function decodeExcerpt(bytes: Buffer, coding: string, maxBytes: number): Promise<Buffer> {
  const decoder = decoders[coding.trim().toLowerCase()];
  if (decoder === undefined || bytes.length === 0) return bytes;
  const decoded = await decoding.run(() => readUpTo(decoder().end(bytes), maxBytes));
  return decoded.length === 0 ? bytes : decoded;
}

async function readUpTo(decoder: Transform, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of decoder as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length >= maxBytes) break;
    }
  } catch {
    // What came before the fault is shown.
  }
  return Buffer.concat(parts).subarray(0, maxBytes);
}
