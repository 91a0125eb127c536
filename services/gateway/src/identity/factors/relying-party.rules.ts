/** Whom a passkey is made for (WebAuthn): a host name, and the origin of its pages. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/**
 * Null where browsers make no passkeys: for an IP address, and over http but for this machine.
 * @param baseUrl how the browser reaches this deployment
 */
export function relyingPartyOf(baseUrl: string): RelyingParty | null {
  if (!URL.canParse(baseUrl)) return null;
  const { hostname, origin, protocol } = new URL(baseUrl);
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  return isAddress || (protocol !== 'https:' && !isLocal) ? null : { id: hostname, origin };
}

/** Of a request: the last of its own addresses is the name that its browser used. */
export const partyOf = (ownUrls: readonly string[]): RelyingParty | null => relyingPartyOf(ownUrls.at(-1) ?? '');
