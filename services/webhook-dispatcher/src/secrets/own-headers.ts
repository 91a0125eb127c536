import { type SecretBox, UnreadableSecretError } from './secret-box.ts';

/** Names as the seller wrote them, with their values. */
export type OwnHeaders = Readonly<Record<string, string>>;

/** What the sealed text is bound to: it opens neither for another endpoint nor as a secret of this one. */
export const headersBoundTo = (endpointId: string): string => `headers of ${endpointId}`;

/** Values are keys of the receiver: the database and its backups show neither them nor the names. Null for none. */
export function sealHeaders(secrets: SecretBox, endpointId: string, headers: OwnHeaders): string | null {
  if (Object.keys(headers).length === 0) return null;
  return secrets.seal(Buffer.from(JSON.stringify(headers)), headersBoundTo(endpointId));
}

/** @throws UnreadableSecretError */
export function openHeaders(secrets: SecretBox, endpointId: string, sealed: string | null): OwnHeaders {
  return sealed === null ? {} : JSON.parse(secrets.open(sealed, headersBoundTo(endpointId)).toString('utf8'));
}

/** For sellers to see. None where they cannot be read: then no delivery goes out, and its attempt says why. */
export function headerNames(secrets: SecretBox, endpointId: string, sealed: string | null): string[] {
  try {
    return Object.keys(openHeaders(secrets, endpointId, sealed));
  } catch (err) {
    if (!(err instanceof UnreadableSecretError)) throw err;
    return [];
  }
}
