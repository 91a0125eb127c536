/** Stands for this deployment's address in a published text. The name is reserved by RFC 2606: no host has it. */
export const placeholderUrl = 'https://base-url.invalid';

/**
 * Puts this deployment's address into a text in place of `placeholderUrl`. The text is made once, when it is first asked
 * for, and served as bytes.
 * @param escaped escapes the address for its place in the text
 */
export function withBaseUrl(make: () => string, escaped: (url: string) => string): (baseUrl: string) => Buffer {
  let text: string | undefined;
  let last = { baseUrl: '', bytes: Buffer.alloc(0) };
  return (baseUrl) => {
    text ??= make();
    // Nearly all clients use one address: the last one is kept.
    if (baseUrl !== last.baseUrl) {
      last = { baseUrl, bytes: Buffer.from(text.replaceAll(placeholderUrl, () => escaped(baseUrl))) };
    }
    return last.bytes;
  };
}
