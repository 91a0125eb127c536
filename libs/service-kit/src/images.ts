import { hash } from 'node:crypto';
import { type ImageFormat, imageMaxPixels, imageTypes, type StoredImage } from '@app/contracts/images';
import { invalidField } from '@app/contracts/validation';
import { withoutMetadata } from './image-metadata.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * What an image's bytes say that it is. A name or a type that its sender claims says nothing.
 * @param data base64
 * @returns the image without its metadata
 * @throws DomainError validation_failed for anything but a PNG, JPEG or WebP of 1 to 8192 pixels on either side
 */
export function readImage(data: string): { readonly image: StoredImage; readonly bytes: Buffer } {
  const sent = Buffer.from(data, 'base64');
  const format = formatOf(sent);
  if (format === null) throw invalidField('data', 'must be the bytes of a PNG, JPEG or WebP', 'unknown_format');
  const { width, height } = sizes[format](sent) ?? noSize();
  if (Math.max(width, height) > imageMaxPixels) {
    throw invalidField('data', `must have at most ${imageMaxPixels} pixels on either side`, 'too_big');
  }
  const bytes = withoutMetadata(sent, format);
  const name = `${hash('sha256', bytes, 'base64url')}.${format}`;
  return { image: { name, contentType: imageTypes[format], width, height, bytes: bytes.length }, bytes };
}

function noSize(): never {
  throw invalidField('data', 'must be a whole image: its width and height cannot be read', 'unknown_format');
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function formatOf(bytes: Buffer): ImageFormat | null {
  if (bytes.subarray(0, 8).equals(pngSignature)) return 'png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'jpg';
  const isWebp = textAt(bytes, 0) === 'RIFF' && textAt(bytes, 8) === 'WEBP';
  return isWebp ? 'webp' : null;
}

const sizes: Readonly<Record<ImageFormat, (bytes: Buffer) => Size | null>> = {
  png: pngSize,
  jpg: jpegSize,
  webp: webpSize,
};

const textAt = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, at + 4);
const sizeOf = (width: number, height: number): Size | null => (width > 0 && height > 0 ? { width, height } : null);

/** The first chunk is the header. */
function pngSize(bytes: Buffer): Size | null {
  if (bytes.length < 33 || textAt(bytes, 12) !== 'IHDR') return null;
  return sizeOf(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
}

/** Markers of frames are C0 to CF but for tables (C4), an extension (C8) and arithmetic conditions (CC). */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Segments are a marker, two bytes of length and that many bytes; a frame's segment has the size. */
function jpegSize(bytes: Buffer): Size | null {
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    // Markers may be filled up with further FF.
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return sizeOf(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** The first chunk is extended, lossless or lossy. */
function webpSize(bytes: Buffer): Size | null {
  if (bytes.length < 30) return null;
  switch (textAt(bytes, 12)) {
    case 'VP8X':
      return sizeOf(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return bytes[20] === 0x2f ? sizeOf((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1) : null;
    }
    case 'VP8 ':
      return bytes.readUIntBE(23, 3) === 0x9d012a
        ? sizeOf(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
        : null;
    default:
      return null;
  }
}
