import { z } from 'zod';
import { defineRequest } from './define.ts';

/** Types of images by the end of their address. No SVG: it can run scripts. */
export const imageTypes = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' } as const;
export type ImageFormat = keyof typeof imageTypes;

/** 150 KB: 204,800 characters of base64, which the 256 KB of a body have room for. */
export const imageMaxBytes = 150 * 1024;
/** Of either side. */
export const imageMaxPixels = 8_192;

const base64MaxChars = Math.ceil(imageMaxBytes / 3) * 4;

export const putImageBody = z
  .strictObject({
    data: z
      .base64('must be base64')
      .min(1)
      .max(
        base64MaxChars,
        `must be at most ${imageMaxBytes / 1024} KB, which are ${base64MaxChars} characters of base64`,
      )
      .describe(
        `A PNG, JPEG or WebP as base64, at most ${imageMaxBytes / 1024} KB and ${imageMaxPixels} pixels on either side. Its bytes say which it is.`,
      ),
  })
  .meta({ id: 'ImagePut' });

/** An image as it was stored. */
export const imageResource = z
  .object({
    url: z.string().describe('The image’s public address. It has the content’s hash, so it never shows another image.'),
    contentType: z.enum(Object.values(imageTypes) as [string, ...string[]]),
    width: z.int().describe('In pixels.'),
    height: z.int().describe('In pixels.'),
    bytes: z.int(),
  })
  .meta({ id: 'Image' });

/** An image as services store it: `name` is the hash of its bytes and its format, the end of its address. */
export const storedImage = imageResource.omit({ url: true }).extend({ name: z.string() });
export type StoredImage = z.infer<typeof storedImage>;

/** SHA-256 in base64url and the format. */
export const imageName = z.string().regex(/^[\w-]{43}\.(?:png|jpg|webp)$/);

/** The address that the names of pictures are appended to; an earlier gateway leaves it out. */
export const withImagesUrl = { imagesUrl: z.string().optional() };

/** The picture of any account's product or offer, for its public address. */
export const getProductImage = defineRequest('read', 'catalog', 'images.get', {
  input: z.object({ name: imageName }),
  output: z.object({ data: z.base64().nullable() }),
});
