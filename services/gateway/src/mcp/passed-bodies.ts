import { randomBytes } from 'node:crypto';

/** Unknown outside, because it is replaced in everything that is sent: no buyer's text can hold it. */
const nonce = randomBytes(16).toString('hex');
let last = 0;

/** A result in which a token stands where a body belongs. */
interface Standing {
  readonly text: string;
  readonly structuredContent: { readonly passed: string };
}

/**
 * The services' bodies on their way through the protocol's library. It sees a token in place of each, so that it neither checks what the
 * service has checked nor serializes once more what is JSON already.
 */
export class PassedBodies {
  readonly #bodies = new Map<string, { readonly json: string; readonly quoted: string }>();
  readonly #errors = new Map<string, { readonly code: number; readonly message: string }>();

  /** @param quoted the JSON as a JSON string */
  add(json: string, quoted: string): Standing {
    last += 1;
    const token = `${nonce}-${last}`;
    // Between tokens of JSON a line break is white space, and in an event stream it would end a line of data.
    this.#bodies.set(token, { json: json.replaceAll(/[\r\n]+/g, ' '), quoted });
    return { text: token, structuredContent: { passed: token } };
  }

  /**
   * What an error of the 2025 era has as its message: the library changes the code that this era has for it.
   * @returns the message to throw with -32602
   */
  addError(code: number, message: string): string {
    last += 1;
    const token = `${nonce}-${last}`;
    this.#errors.set(token, { code, message: JSON.stringify(message) });
    return token;
  }

  /** A serialized message, or several, with every body in its place: as a structure, and as text. */
  putInto(message: string): string {
    let whole = message;
    for (const [token, { json, quoted }] of this.#bodies)
      whole = whole.replace(`{"passed":"${token}"}`, () => json).replace(`"${token}"`, () => quoted);
    for (const [token, { code, message: text }] of this.#errors)
      whole = whole.replace(`"code":-32602,"message":"${token}"`, () => `"code":${code},"message":${text}`);
    return whole;
  }
}
