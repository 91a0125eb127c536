/** Under https no other host of the domain can set a cookie of this name (RFC 6265bis, 4.1.3). */
const nameOf = (secure: boolean): string => (secure ? '__Host-fnl_session' : 'fnl_session');
/** Of a log-in that waits for its factor. */
const pendingNameOf = (secure: boolean): string => (secure ? '__Host-fnl_login' : 'fnl_login');

/**
 * The session token of a Cookie header; undefined without one.
 * @param secure whether browsers reach this deployment by https
 */
export const getSessionToken = (header: string | undefined, secure: boolean): string | undefined =>
  cookieOf(header, nameOf(secure));

export const getPendingToken = (header: string | undefined, secure: boolean): string | undefined =>
  cookieOf(header, pendingNameOf(secure));

/** The token that a Cookie header has under a name; undefined without one of 43 characters of base64url. */
export function cookieOf(header: string | undefined, wanted: string): string | undefined {
  if (header === undefined) return undefined;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === wanted) {
      const token = pair.slice(at + 1).trim();
      return /^[A-Za-z0-9_-]{43}$/.test(token) ? token : undefined;
    }
  }
  return undefined;
}

/** A Set-Cookie header: unreadable for scripts, and not sent along with other sites' posts. */
export function writeSessionCookie(token: string, maxAgeSeconds: number, secure: boolean): string {
  return writeCookie(nameOf(secure), token, maxAgeSeconds, secure);
}

export const writePendingCookie = (token: string, maxAgeSeconds: number, secure: boolean): string =>
  writeCookie(pendingNameOf(secure), token, maxAgeSeconds, secure);

function writeCookie(name: string, token: string, maxAgeSeconds: number, secure: boolean): string {
  const end = secure ? '; Secure' : '';
  return `${name}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${end}`;
}
