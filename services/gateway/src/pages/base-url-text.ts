import { placeholderUrl } from '@app/pages/developers/placeholder-url';

const addressesMax = 8;

/**
 * Puts this deployment's address into a text in place of `placeholderUrl`. The text is made once, when it is first needed
 * for, and served as bytes.
 * @param escaped escapes the address for where it goes in the text
 */
export function withBaseUrl(make: () => string, escaped: (url: string) => string): (baseUrl: string) => Buffer {
  let text: string | undefined;
  const texts = new Map<string, Buffer>();
  return (baseUrl) => {
    text ??= make();
    // Compressing one takes longer than all else: those of the machine's few addresses are kept.
    const known = texts.get(baseUrl);
    if (known !== undefined) return known;
    const bytes = Buffer.from(text.replaceAll(placeholderUrl, () => escaped(baseUrl)));
    if (texts.size >= addressesMax) texts.clear();
    texts.set(baseUrl, bytes);
    return bytes;
  };
}
