import { crc32 } from 'node:zlib';
import type { ImageFormat } from '@app/contracts/images';

/**
 * An image without what says where, when and with which device it was made (EXIF, XMP, IPTC, comments, what follows its end). The
 * pixels and their colours stay byte for byte, and so does the orientation, of which EXIF is the only place. What is no whole image is
 * kept from there on as it is.
 */
export const withoutMetadata = (bytes: Buffer, format: ImageFormat): Buffer => Buffer.concat(strippers[format](bytes));

const strippers: Readonly<Record<ImageFormat, (bytes: Buffer) => Buffer[]>> = {
  jpg: jpegParts,
  png: pngParts,
  webp: webpParts,
};

const exifMark = Buffer.from('Exif\0\0', 'latin1');
const orientationTag = 0x0112;

/** EXIF of an orientation alone: a TIFF with one field. @param orientation 2 to 8 */
function exifOf(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM', 'latin1');
  tiff.writeUInt16BE(42, 2);
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(orientationTag, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

/** The orientation in a TIFF's first directory; 1, which is upright, where there is none. */
function orientationOf(tiff: Buffer): number {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const [u16, u32] = isLittle
    ? [(at: number) => tiff.readUInt16LE(at), (at: number) => tiff.readUInt32LE(at)]
    : [(at: number) => tiff.readUInt16BE(at), (at: number) => tiff.readUInt32BE(at)];
  try {
    const directory = u32(4);
    for (let n = 0; n < u16(directory); n++) {
      const field = directory + 2 + 12 * n;
      if (u16(field) === orientationTag) return u16(field + 8) >= 1 && u16(field + 8) <= 8 ? u16(field + 8) : 1;
    }
  } catch {
    // It ends before its directory does.
  }
  return 1;
}

/** The start of the image, of a scan, and its end; markers that stand alone. */
const [startOfScan, endOfImage] = [0xda, 0xd9];
const standsAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= endOfImage);
const iccMark = 'ICC_PROFILE\0';

/** JFIF (APP0), colour profiles (APP2) and Adobe's colour transform (APP14) say how the pixels are read. */
function isOfPixels(marker: number, body: Buffer): boolean {
  if (marker === 0xfe) return false;
  if (marker < 0xe0 || marker > 0xef || marker === 0xe0 || marker === 0xee) return true;
  return marker === 0xe2 && body.toString('latin1', 0, iccMark.length) === iccMark;
}

function jpegParts(bytes: Buffer): Buffer[] {
  const parts = [bytes.subarray(0, 2)];
  for (let at = 2; at < bytes.length; ) {
    const segment = segmentAt(bytes, at);
    if (segment === null) return [...parts, bytes.subarray(at)];
    const { marker, end, body } = segment;
    if (isOfPixels(marker, body)) parts.push(bytes.subarray(at, end));
    if (marker === 0xe1 && body.subarray(0, 6).equals(exifMark))
      parts.push(...jpegExif(orientationOf(body.subarray(6))));
    if (marker === endOfImage) return parts;
    at = end;
  }
  return parts;
}

interface Segment {
  readonly marker: number;
  readonly body: Buffer;
  /** Where the next one begins; of a scan, after its coded data. */
  readonly end: number;
}

/** Null where there is no whole one. */
function segmentAt(bytes: Buffer, at: number): Segment | null {
  if (bytes[at] !== 0xff || at + 2 > bytes.length) return null;
  const marker = bytes[at + 1] ?? 0;
  // Markers may be filled up with further FF.
  if (marker === 0xff) return { marker, body: bytes.subarray(0, 0), end: at + 1 };
  if (standsAlone(marker)) return { marker, body: bytes.subarray(0, 0), end: at + 2 };
  const end = at + 4 > bytes.length ? Number.POSITIVE_INFINITY : at + 2 + bytes.readUInt16BE(at + 2);
  if (end > bytes.length) return null;
  return { marker, body: bytes.subarray(at + 4, end), end: marker === startOfScan ? endOfScan(bytes, end) : end };
}

function jpegExif(orientation: number): Buffer[] {
  if (orientation === 1) return [];
  const body = Buffer.concat([exifMark, exifOf(orientation)]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return [head, body];
}

/** Where the marker after the coded data of a scan is: FF00 and restarts are of the data. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at !== -1 && at + 1 < bytes.length) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
    at = bytes.indexOf(0xff, at + 1);
  }
  return bytes.length;
}

/** Chunks of pixels, colours, sizes and animation (https://www.w3.org/TR/png-3/#11Chunks). */
const pngChunks = new Set(
  'IHDR PLTE IDAT IEND tRNS cHRM cICP gAMA iCCP mDCV cLLI sBIT sRGB bKGD hIST pHYs sPLT acTL fcTL fdAT'.split(' '),
);

function pngParts(bytes: Buffer): Buffer[] {
  const parts = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length; ) {
    const end = at + 12 + (at + 8 <= bytes.length ? bytes.readUInt32BE(at) : Number.POSITIVE_INFINITY);
    if (end > bytes.length) return [...parts, bytes.subarray(at)];
    const type = bytes.toString('latin1', at + 4, at + 8);
    const orientation = type === 'eXIf' ? orientationOf(bytes.subarray(at + 8, end - 4)) : 1;
    if (orientation !== 1) parts.push(pngChunk('eXIf', exifOf(orientation)));
    if (pngChunks.has(type)) parts.push(bytes.subarray(at, end));
    if (type === 'IEND') return parts;
    at = end;
  }
  return parts;
}

function pngChunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

const webpChunks = new Set(['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
/** Bits of `VP8X` (RFC 9649, 2.7). */
const [hasExif, hasXmp] = [0x08, 0x04];

function webpParts(bytes: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  let orientation = 1;
  for (let at = 12; at < bytes.length; ) {
    const length = at + 8 <= bytes.length ? bytes.readUInt32LE(at + 4) : Number.POSITIVE_INFINITY;
    const end = at + 8 + length + (length % 2);
    // The last chunk may lack its padding.
    if (at + 8 + length > bytes.length) return [bytes];
    const type = bytes.toString('latin1', at, at + 4);
    if (type === 'EXIF') orientation = orientationOf(afterMark(bytes.subarray(at + 8, at + 8 + length)));
    if (webpChunks.has(type)) chunks.push(bytes.subarray(at, end));
    at = end;
  }
  if (orientation !== 1) chunks.push(webpChunk('EXIF', exifOf(orientation)));
  const [first] = chunks;
  if (first !== undefined && first.length > 8 && first.toString('latin1', 0, 4) === 'VP8X') {
    const flags = Buffer.from(first);
    flags[8] = ((flags[8] ?? 0) & ~(hasExif | hasXmp)) | (orientation === 1 ? 0 : hasExif);
    chunks[0] = flags;
  }
  const head = Buffer.from(bytes.subarray(0, 12));
  head.writeUInt32LE(4 + chunks.reduce((sum, chunk) => sum + chunk.length, 0), 4);
  return [head, ...chunks];
}

/** Some writers begin it as in a JPEG. */
const afterMark = (exif: Buffer): Buffer => (exif.subarray(0, 6).equals(exifMark) ? exif.subarray(6) : exif);

function webpChunk(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}
