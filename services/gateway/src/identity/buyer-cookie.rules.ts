import { daySeconds } from '@app/contracts/durations';
import { cookieOf } from './session-cookie.rules.ts';

const name = 'fnl_buyer';
/** As long as a yearly subscription: a buyer who pays for it twice is recognised. */
const maxAgeSeconds = 365 * daySeconds;

/** The random text by which a browser is recognised when it pays in two tabs; undefined without one. */
export const buyerTokenOf = (header: string | undefined): string | undefined => cookieOf(header, name);

/** A Set-Cookie header. Hosted pages alone send it: pages of other sites have no cookies of this deployment. */
export function writeBuyerCookie(token: string, secure: boolean): string {
  return `${name}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}
