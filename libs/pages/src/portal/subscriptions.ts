import type { PortalSubscriptionWithHistory } from '@app/contracts/portal';
import type { Refused } from '../call.ts';
import type { PageAnswer, PageRequest, ShownPage } from '../page.ts';
import { cancelNotices, cancelPage, mayBeCanceled } from './cancel-page.ts';
import {
  buyerOf,
  onTo,
  openedOf,
  type Portal,
  readAs,
  refuse,
  showAt,
  showLink,
  shown,
  takeAt,
  wholeSession,
} from './enter.ts';
import { linkNotices } from './link-pages.ts';
import { subscriptionPath } from './parts.ts';
import type { OpenSession } from './portal-cookies.ts';
import { type Said, saidOf } from './subscription-notices.ts';
import { subscriptionPage } from './subscription-page.ts';

/** A subscription as this browser may see it, or the page that says why it may not. */
export function readSubscription(
  portal: Portal,
  subscriptionId: string,
): Promise<{ readonly session: OpenSession; readonly body: PortalSubscriptionWithHistory } | ShownPage> {
  return readAs(portal, subscriptionId, (session) =>
    portal.request.call('getPortalSubscription', { actor: buyerOf(portal, session), params: { subscriptionId } }),
  );
}

/** GET of a subscription. */
export const showSubscription = (request: PageRequest, handle: string, subscriptionId: string): Promise<PageAnswer> =>
  showAt(request, handle, subscriptionPath('', subscriptionId), async (portal) => {
    const seen = await readSubscription(portal, subscriptionId);
    if ('status' in seen) return seen;
    const content = { subscription: seen.body, said: saidOf(request.query.get('said'), seen.body) };
    const { product_name: title } = seen.body;
    return shown(portal, title, subscriptionPage(openedOf(portal, seen.session, content)));
  });

/** `late`: a renewal was under way already, and may still be charged. */
const acts = {
  keep: { operation: 'keepPortalSubscription', said: 'kept', late: 'kept' },
  pause: { operation: 'pausePortalSubscription', said: 'paused', late: 'paused_late' },
  resume: { operation: 'resumePortalSubscription', said: 'resumed', late: 'resumed' },
} as const;
const isAct = (name: string): name is keyof typeof acts => Object.hasOwn(acts, name);

/**
 * POST of a subscription: one of its buttons. It has no Idempotency-Key: what holds already changes nothing, and the form that
 * the Back button shows is meant anew, though it has the key of before.
 */
export const takeSubscription = (request: PageRequest, handle: string, subscriptionId: string): Promise<PageAnswer> =>
  takeAt(request, handle, async (portal) => {
    const act = request.form.get('do') ?? '';
    const session = wholeSession(portal);
    if (session === undefined) return showLink(portal, { status: 401, notice: linkNotices.needed });
    if (!isAct(act)) return onTo(subscriptionPath(portal.path, subscriptionId));
    const { operation, said, late } = acts[act];
    const done = await request.call(operation, {
      actor: buyerOf(portal, session),
      params: { subscriptionId },
    });
    if (!done.ok) return afterRefusal(portal, subscriptionId, session, done);
    return sayAt(portal, subscriptionId, done.body.renewal_under_way ? late : said);
  });

export const sayAt = ({ path }: Portal, subscriptionId: string, said: Said): PageAnswer =>
  onTo(`${subscriptionPath(path, subscriptionId)}?said=${said}`);

/** What was not done is said on the page of the subscription, which shows how it stands. */
export function afterRefusal(
  portal: Portal,
  subscriptionId: string,
  session: OpenSession,
  refused: Refused,
): PageAnswer {
  const { code, status } = refused.problem;
  if (status === 401 || status === 404) return refuse(portal, refused, session);
  // Another tab was first, or the same click twice.
  if (code === 'invalid_transition') return onTo(subscriptionPath(portal.path, subscriptionId));
  if (code === 'not_allowed_by_seller') return sayAt(portal, subscriptionId, 'not_allowed');
  return sayAt(portal, subscriptionId, code === 'rate_limited' ? 'busy' : 'failed');
}

/** GET of the page on which a subscription is canceled. */
export const showCancel = (request: PageRequest, handle: string, subscriptionId: string): Promise<PageAnswer> =>
  showAt(request, handle, `${subscriptionPath('', subscriptionId)}/cancel`, async (portal) => {
    const seen = await readSubscription(portal, subscriptionId);
    if ('status' in seen) return seen;
    const { body: subscription, session } = seen;
    if (session.subscriptionId !== null || !mayBeCanceled(subscription))
      return onTo(subscriptionPath(portal.path, subscriptionId));
    const content = { subscription, notice: request.query.has('failed') ? cancelNotices.failed : null };
    return shown(portal, 'Cancel the subscription', cancelPage(openedOf(portal, session, content)));
  });

/** POST of that page; without a key, as those of the subscription. */
export const takeCancel = (request: PageRequest, handle: string, subscriptionId: string): Promise<PageAnswer> =>
  takeAt(request, handle, async (portal) => {
    const here = `${subscriptionPath(portal.path, subscriptionId)}/cancel`;
    const session = wholeSession(portal);
    if (session === undefined) return showLink(portal, { status: 401, notice: linkNotices.needed });
    const at = request.form.get('at');
    if (at !== 'now' && at !== 'period_end') return onTo(here);
    const canceled = await request.call('cancelPortalSubscription', {
      actor: buyerOf(portal, session),
      params: { subscriptionId },
      body: { at },
    });
    if (canceled.ok)
      return sayAt(portal, subscriptionId, canceled.body.renewal_under_way ? 'canceled_late' : 'canceled');
    return canceled.problem.status >= 500
      ? onTo(`${here}?failed=1`)
      : afterRefusal(portal, subscriptionId, session, canceled);
  });
