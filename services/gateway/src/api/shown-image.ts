import type { StoredImage } from '@app/contracts/images';

/** A stored image as its operation answers it. */
export const shownImage = ({ name: _, ...image }: StoredImage, url: string) => ({ url, ...image });

export const putImageText =
  'A PNG, JPEG or WebP as base64; its bytes say which. EXIF and other metadata are removed. 16:9 is shown whole. The one before is deleted.';
