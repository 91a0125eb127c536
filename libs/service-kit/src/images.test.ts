import { imageMaxPixels } from '@app/contracts/images';
import { expect, test } from 'vitest';
import { readImage } from './images.ts';

const read = (bytes: Buffer) => readImage(bytes.toString('base64')).image;
const bytesOf = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const wide = (width: number): Buffer => {
  const bytes = Buffer.from(pixel);
  bytes.writeUInt32BE(width, 16);
  return bytes;
};
/** An APP0 segment of 16 bytes, a filled-up marker, and a progressive frame of 640 × 360. */
const jpeg = bytesOf(
  [0xff, 0xd8, 0xff, 0xe0, 0, 16],
  [...Array(14).keys()],
  [0xff, 0xff, 0xc2, 0, 17, 8, 1, 104, 2, 128, 3, 1, 34],
);
const riff = (...chunk: (string | number[])[]): Buffer =>
  bytesOf('RIFF', [60, 0, 0, 0], 'WEBP', ...chunk, Array(20).fill(0));
const lossy = riff('VP8 ', [40, 0, 0, 0], [0, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0x68, 0x01]);
/** 14 bits of 639, 14 bits of 359. */
const lossless = riff('VP8L', [40, 0, 0, 0], [0x2f, 0x7f, 0xc2, 0x59, 0x00]);
const extended = riff('VP8X', [10, 0, 0, 0], [0, 0, 0, 0, 0x7f, 0x02, 0x00, 0x67, 0x01, 0x00]);

test('an image is what its bytes say, with the size that they say', () => {
  expect(read(pixel)).toMatchObject({ contentType: 'image/png', width: 1, height: 1, bytes: pixel.length });
  expect(read(jpeg)).toMatchObject({ contentType: 'image/jpeg', width: 640, height: 360 });
  for (const webp of [lossy, lossless, extended])
    expect(read(webp)).toMatchObject({ contentType: 'image/webp', width: 640, height: 360 });
});

test('the name is of the content: the same bytes have one name, other bytes another', () => {
  expect(read(pixel).name).toMatch(/^[\w-]{43}\.png$/);
  expect(read(Buffer.from(pixel)).name).toBe(read(pixel).name);
  expect(read(wide(2)).name).not.toBe(read(pixel).name);
});

test.each([
  ['SVG', bytesOf('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['GIF', bytesOf('GIF89a', Array(40).fill(1))],
  ['HTML after the first bytes of a PNG', bytesOf([0x89, 0x50, 0x4e, 0x47], '<script>alert(1)</script>')],
  ['half a PNG', pixel.subarray(0, 20)],
  ['a PNG of no width', wide(0)],
  ['a PNG that is too wide', wide(imageMaxPixels + 1)],
  ['a JPEG without a frame', jpeg.subarray(0, 22)],
  ['a WebP of no known chunk', riff('ALPH', Array(20).fill(0))],
  ['a sound in RIFF', bytesOf('RIFF', [60, 0, 0, 0], 'WAVE', Array(40).fill(0))],
  ['nothing', Buffer.alloc(0)],
])('%s is refused, and the field is named', (_, bytes) => {
  expect(() => read(bytes)).toThrow(
    expect.objectContaining({ code: 'validation_failed', errors: [expect.objectContaining({ field: 'data' })] }),
  );
});
