/** Stands in a published text where this deployment's address belongs. Reserved by RFC 2606: no real address has it. */
export const placeholderUrl = 'https://base-url.invalid';

/**
 * A text that is made once and served as bytes, with the address under which each caller reached us.
 * @param escaped makes an address fit for where it stands in the text
 */
export function withBaseUrl(text: string, escaped: (url: string) => string): (baseUrl: string) => Buffer {
  let last = { baseUrl: '', bytes: Buffer.alloc(0) };
  return (baseUrl) => {
    // Nearly every caller uses one address.
    if (baseUrl !== last.baseUrl) {
      last = { baseUrl, bytes: Buffer.from(text.replaceAll(placeholderUrl, () => escaped(baseUrl))) };
    }
    return last.bytes;
  };
}
