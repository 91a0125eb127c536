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

  /** @param quoted the JSON as a JSON string */
  add(json: string, quoted: string): Standing {
    last += 1;
    const token = `${nonce}-${last}`;
    // Between tokens of JSON a line break is white space, and in an event stream it would end a line of data.
    this.#bodies.set(token, { json: json.replaceAll(/[\r\n]+/g, ' '), quoted });
    return { text: token, structuredContent: { passed: token } };
  }

  /** A serialized message, or several, with every body in its place: as a structure, and as text. */
  putInto(message: string): string {
    let whole = message;
    for (const [token, { json, quoted }] of this.#bodies)
      whole = whole.replace(`{"passed":"${token}"}`, () => json).replace(`"${token}"`, () => quoted);
    return whole;
  }
}
