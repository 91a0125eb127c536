import { busyForm } from '../checkout/post-answers.ts';
import { showRefusal } from '../checkout/show-refusal.ts';
import type { PageAnswer, PageRequest } from '../page.ts';
import { onTo, type Portal, portalOf, showAt, showLink, shown, takeAt } from './enter.ts';
import { emailError, linkNotices, openPage, sentPage } from './link-pages.ts';
import { subscriptionPath } from './parts.ts';
import { emailOf, forgetSession, keepEmail, keepSession } from './portal-cookies.ts';

/** GET of the portal where nothing is open: the form for a link, or that one was sent. */
export function showWayIn(portal: Portal): PageAnswer {
  const { query, cookies } = portal.request;
  if (query.has('sent'))
    return shown(portal, 'Check your email', sentPage(portalOf(portal, { email: emailOf(cookies) })));
  const said = query.get('said');
  return showLink(portal, { notice: said === 'old' || said === 'signed_out' ? linkNotices[said] : null });
}

/** POST of the form for a link. */
export async function requestLink(portal: Portal): Promise<PageAnswer> {
  const { request, path, shop } = portal;
  const email = (request.form.get('email') ?? '').trim();
  const body = { handle: shop.handle, email };
  const requested = await request.call('requestPortalLink', { actor: request.actor, body });
  if (requested.ok) return onTo(`${path}?sent`, [keepEmail(email)]);
  if (requested.problem.code === 'rate_limited') return busyForm(request, path, requested.retryAfterSeconds);
  if (requested.problem.code === 'validation_failed')
    return showLink(portal, { status: 422, email, error: emailError });
  return showRefusal(requested, request.requestId);
}

/** GET of a link: a mail scanner follows it too, so that it changes nothing. */
export const showLinkPage = (request: PageRequest, handle: string, token: string): Promise<PageAnswer> =>
  showAt(request, handle, `/open/${encodeURIComponent(token)}`, (portal) =>
    shown(portal, 'Your purchases', openPage(portalOf(portal, null))),
  );

/** POST of a link's page: the browser gets what the link opens. */
export const takeLink = (request: PageRequest, handle: string, token: string): Promise<PageAnswer> =>
  takeAt(request, handle, (portal) => openLink(portal, token));

async function openLink(portal: Portal, token: string): Promise<PageAnswer> {
  const { request } = portal;
  const opened = await request.call('openPortal', { actor: request.actor, body: { token } });
  if (!opened.ok) {
    const isUnknown = ['not_found', 'validation_failed'].includes(opened.problem.code);
    return isUnknown
      ? showLink(portal, { status: 404, notice: linkNotices.unknown })
      : showRefusal(opened, request.requestId);
  }
  const { handle, email } = opened.body;
  const path = `/p/${handle}`;
  if (opened.body.status === 'expired') return onTo(`${path}?said=old`, [keepEmail(email)]);
  const { secret, subscriptionId, expiresAt } = opened.body;
  const seconds = Math.floor((Date.parse(expiresAt) - Date.parse(request.now)) / 1000);
  const cookies = keepSession(request.cookies, { secret, handle, email, subscriptionId }, seconds);
  return onTo(subscriptionId === null ? path : `${subscriptionPath(path, subscriptionId)}/card`, cookies);
}

/** The session ends in the database too, so that a copy of its cookie opens nothing. */
export async function signOut(portal: Portal): Promise<PageAnswer> {
  const { request, path, sessions } = portal;
  const actors = sessions.map(({ secret }) => Object.assign({}, request.actor, { portalSession: secret }));
  const ended = await Promise.all(actors.map((actor) => request.call('closePortal', { actor })));
  const failed = ended.find((each) => !each.ok && each.problem.code !== 'portal_session_ended');
  if (failed !== undefined && !failed.ok) return showRefusal(failed, request.requestId);
  return onTo(`${path}?said=signed_out`, sessions.map(forgetSession));
}
