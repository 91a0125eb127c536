/** Browsers take a cookie with it over https alone, and keep it from being set by http (RFC 6265bis, 4.1.3.1). */
const prefix = '__Secure-';

/**
 * Until then cookies without the prefix are read too: those of checkouts and sessions that began before the prefix, which last for 30 days
 * at most. Afterwards another host of the domain sets none that we read.
 */
const plainUntilMs = Date.parse('2027-06-01T00:00:00.000Z');

/** The name under which browsers keep a page's cookie. @param secure whether they reach this deployment by https */
export const keptName = (name: string, secure: boolean): string => (secure ? `${prefix}${name}` : name);

/** The cookies of a header by the names that pages have for them. What cannot be decoded is passed over: another page of this host may have set it. */
export function pageCookies(
  header: string,
  { secure, nowMs }: { secure: boolean; nowMs: number },
): Map<string, string> {
  const [plain, prefixed] = [new Map<string, string>(), new Map<string, string>()];
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (at < 0) continue;
    const name = part.slice(0, at).trim();
    const isPrefixed = name.startsWith(prefix);
    try {
      const value = decodeURIComponent(part.slice(at + 1).trim());
      (isPrefixed ? prefixed : plain).set(isPrefixed ? name.slice(prefix.length) : name, value);
    } catch {}
  }
  if (!secure) return plain;
  return nowMs < plainUntilMs ? new Map([...plain, ...prefixed]) : prefixed;
}
