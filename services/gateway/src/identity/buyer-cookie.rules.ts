import { daySeconds } from '@app/contracts/durations';
import { cookieOf } from './session-cookie.rules.ts';

const plainName = 'fnl_buyer';
/** Under https no other host of the domain can set a cookie of this name (RFC 6265bis, 4.1.3). */
const nameOf = (secure: boolean): string => (secure ? `__Host-${plainName}` : plainName);
/** As long as a yearly subscription: a buyer who pays for it twice is recognised. */
const maxAgeSeconds = 365 * daySeconds;

/**
 * The random text by which a browser is recognised when it pays in two tabs; undefined without one. One without the prefix is from
 * before there was one: the worst that a foreign one does is that a purchase has to be confirmed.
 */
export const buyerTokenOf = (header: string | undefined): string | undefined =>
  cookieOf(header, nameOf(true)) ?? cookieOf(header, plainName);

/** A Set-Cookie header. Hosted pages alone send it: pages of other sites have no cookies of this deployment. */
export function writeBuyerCookie(token: string, secure: boolean): string {
  return `${nameOf(secure)}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}
