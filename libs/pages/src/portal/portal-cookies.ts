import { hourSeconds } from '@app/contracts/durations';
import type { PageCookie } from '../page.ts';

/** What a link of an email has opened in this browser. */
export interface OpenSession {
  readonly secret: string;
  /** Of the shop when the link was opened: an earlier handle leads to the same shop for good. */
  readonly handle: string;
  readonly email: string;
  /** The session reaches this one subscription's card alone. */
  readonly subscriptionId: string | null;
}

const prefix = 'fnl_portal_';
const path = '/p';
/** A browser sends all of them with each request to a portal. */
const sessionsMax = 12;
/** A handle, or the subscription whose card the session is for. */
const nameForm = /^(?:(sub_[a-z0-9]{26})|[a-z0-9-]{1,100})$/;
const valueForm = /^([A-Za-z0-9_-]{20,100})\.([a-z0-9-]{1,100})\.(.{1,254})$/;

/** The sessions of this browser. Cookies that are none of ours are passed over. */
export function openSessions(cookies: ReadonlyMap<string, string>): OpenSession[] {
  return [...cookies].flatMap(([name, value]) => {
    const named = name.startsWith(prefix) ? nameForm.exec(name.slice(prefix.length)) : null;
    const [, secret, handle, email] = valueForm.exec(value) ?? [];
    return named && secret && handle && email ? [{ secret, handle, email, subscriptionId: named[1] ?? null }] : [];
  });
}

const nameOf = ({ handle, subscriptionId }: OpenSession): string => `${prefix}${subscriptionId ?? handle}`;

/** Keeps a session as long as it lasts. Browsers send the cookie first that was set first: the oldest gives way. */
export function keepSession(
  cookies: ReadonlyMap<string, string>,
  session: OpenSession,
  maxAgeSeconds: number,
): PageCookie[] {
  const others = openSessions(cookies).filter((other) => nameOf(other) !== nameOf(session));
  const value = `${session.secret}.${session.handle}.${session.email}`;
  return [
    { name: nameOf(session), value, path, maxAgeSeconds },
    ...others.slice(0, Math.max(0, others.length + 1 - sessionsMax)).map(forgetSession),
  ];
}

export const forgetSession = (session: OpenSession): PageCookie => ({
  name: nameOf(session),
  value: null,
  path,
  maxAgeSeconds: 0,
});

/** No handle: capital letters are in none. */
const emailCookie = 'fnl_portal_EMAIL';

/** Whom the last link was for, so that the next page says it; an address would say it to every log on its way. */
export const keepEmail = (email: string): PageCookie => ({
  name: emailCookie,
  value: email,
  path,
  maxAgeSeconds: hourSeconds,
});

export const emailOf = (cookies: ReadonlyMap<string, string>): string => (cookies.get(emailCookie) ?? '').slice(0, 254);
