import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { withoutMetadata } from './image-metadata.ts';

const bytesOf = (...parts: (string | number[] | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
const u16 = (value: number): number[] => [value >> 8, value & 0xff];

/** A TIFF with a place, and the orientation as its second field. */
const tiff = (orientation: number, little = false): Buffer => {
  const short = (value: number) => (little ? u16(value).reverse() : u16(value));
  const long = (value: number) => (little ? [...short(value), 0, 0] : [0, 0, ...short(value)]);
  const fields = [
    short(0x8825),
    short(4),
    long(1),
    long(0),
    short(0x0112),
    short(3),
    long(1),
    short(orientation),
    [0, 0],
  ];
  return bytesOf(little ? 'II' : 'MM', short(42), long(8), short(2), ...fields, long(0), 'GPS 52.5200 N 13.4050 E');
};
const secrets = /GPS|ns\.adobe|Photoshop|a comment|Author|after the end/;

const segment = (marker: number, ...body: Parameters<typeof bytesOf>): Buffer => {
  const bytes = bytesOf(...body);
  return bytesOf([0xff, marker, ...u16(bytes.length + 2)], bytes);
};
const frame = segment(0xc2, [8, 1, 104, 2, 128, 3, 1, 34]);
const [jfif, icc, adobe] = [segment(0xe0, 'JFIF\0'), segment(0xe2, 'ICC_PROFILE\0ab'), segment(0xee, 'Adobe')];
const scan = bytesOf(segment(0xda, [1, 2, 3]), [1, 2, 0xff, 0x00, 3, 0xff, 0xd0, 4]);
const jpeg = (exif: Buffer): Buffer =>
  bytesOf(
    ...[[0xff, 0xd8], jfif, segment(0xe1, 'Exif\0\0', exif), segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0<x/>')],
    ...[icc, segment(0xed, 'Photoshop 3.0\0'), segment(0xfe, 'a comment'), adobe, frame, scan, scan, [0xff, 0xd9]],
    ...[segment(0xe1, 'Exif\0\0', exif), 'after the end'],
  );

test('a JPEG keeps its pixels, colours and orientation, and loses where and with what it was made', () => {
  const upright = withoutMetadata(jpeg(tiff(1)), 'jpg');
  expect(upright).toEqual(bytesOf([0xff, 0xd8], jfif, icc, adobe, frame, scan, scan, [0xff, 0xd9]));
  for (const little of [true, false]) {
    const turned = withoutMetadata(jpeg(tiff(6, little)), 'jpg');
    expect(turned.toString('latin1')).not.toMatch(secrets);
    const at = turned.indexOf('Exif');
    expect(turned.readUInt16BE(at + 6 + 18)).toBe(6);
    expect(turned.length - upright.length).toBe(4 + 6 + 26);
    expect(withoutMetadata(turned, 'jpg')).toEqual(turned);
  }
});

const chunk = (type: string, body: Buffer): Buffer => {
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  check.writeUInt32BE(crc32(bytesOf(type, body)));
  return bytesOf(length, type, body, check);
};
const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const kept = ['IHDR', 'iCCP', 'tRNS', 'IDAT', 'IDAT', 'IEND'].map((type) => chunk(type, Buffer.from('12345678')));
const png = (exif: Buffer): Buffer => {
  const [header = Buffer.alloc(0), ...rest] = kept;
  const texts = ['tEXt', 'zTXt', 'iTXt'].map((type) => chunk(type, Buffer.from('Author\0Ada')));
  return bytesOf(
    signature,
    header,
    chunk('eXIf', exif),
    ...texts,
    chunk('tIME', Buffer.alloc(7)),
    ...rest,
    'after the end',
  );
};

test('a PNG likewise', () => {
  expect(withoutMetadata(png(tiff(1)), 'png')).toEqual(bytesOf(signature, ...kept));
  const turned = withoutMetadata(png(tiff(8, true)), 'png');
  expect(turned.toString('latin1')).not.toMatch(secrets);
  const at = turned.indexOf('eXIf');
  expect(turned.readUInt32BE(at + 4 + 26)).toBe(crc32(turned.subarray(at, at + 4 + 26)));
  expect(turned.readUInt16BE(at + 4 + 18)).toBe(8);
  expect(withoutMetadata(turned, 'png')).toEqual(turned);
});

const riffChunk = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return bytesOf(type, length, body, Buffer.alloc(body.length % 2));
};
const webp = (...chunks: Buffer[]): Buffer => {
  const all = bytesOf('WEBP', ...chunks);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(all.length);
  return bytesOf('RIFF', length, all);
};
const extended = (flags: number): Buffer => riffChunk('VP8X', bytesOf([flags, 0, 0, 0, 1, 0, 0, 1, 0, 0]));
const pixels = riffChunk('VP8 ', Buffer.from('12345'));

test('a WebP likewise, and its flags say so', () => {
  const full = (exif: Buffer) =>
    webp(extended(0x2c), pixels, riffChunk('EXIF', exif), riffChunk('XMP ', Buffer.from('ns.adobe')));
  expect(withoutMetadata(full(tiff(1)), 'webp')).toEqual(webp(extended(0x20), pixels));
  const turned = withoutMetadata(full(bytesOf('Exif\0\0', tiff(3))), 'webp');
  expect(turned.toString('latin1')).not.toMatch(secrets);
  expect([turned[20], turned.readUInt32LE(4)]).toEqual([0x28, turned.length - 8]);
  expect(turned.readUInt16BE(turned.indexOf('EXIF') + 8 + 18)).toBe(3);
  expect(withoutMetadata(turned, 'webp')).toEqual(turned);
});

test('whatever is cut or wrong, no more comes out than went in, and nothing is thrown', () => {
  for (const [format, whole] of [
    ['jpg', jpeg(tiff(6))],
    ['png', png(tiff(6))],
    ['webp', webp(extended(0x2c), pixels, riffChunk('EXIF', tiff(6)))],
  ] as const)
    for (let length = 12; length < whole.length; length++)
      expect(withoutMetadata(whole.subarray(0, length), format).length).toBeLessThanOrEqual(length + 48);
});
