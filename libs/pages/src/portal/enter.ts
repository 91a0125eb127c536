import type { SellerResource } from '@app/contracts/checkout-offers';
import type { Refused } from '../call.ts';
import { nothingFoundPage, unknownShopPage } from '../checkout/notice-pages.ts';
import { showRefusal } from '../checkout/show-refusal.ts';
import { formatsFor } from '../formats.ts';
import type { Html } from '../html.ts';
import type { PageAnswer, PageRequest, Redirect, ShownPage } from '../page.ts';
import { linkNotices, linkPage } from './link-pages.ts';
import type { OpenedOf, PortalOf } from './model.ts';
import { emailOf, forgetSession, type OpenSession, openSessions } from './portal-cookies.ts';

/** A request for a page of a shop's portal. */
export interface Portal {
  readonly request: PageRequest;
  readonly shop: SellerResource;
  /** `/p/{handle}`, with the current handle. */
  readonly path: string;
  /** What this browser has opened here: all of a buyer's purchases first, then single cards. */
  readonly sessions: readonly OpenSession[];
}

type Answer = (portal: Portal) => PageAnswer | Promise<PageAnswer>;

/** GET of a page: an earlier handle leads to the current one. @param rest of the address, after the handle */
export async function showAt(request: PageRequest, handle: string, rest: string, answer: Answer): Promise<PageAnswer> {
  const entered = await enter(request, handle);
  if ('status' in entered) return entered;
  if (entered.shop.handle === handle) return await answer(entered);
  const moved = `${entered.path}${rest}`;
  return { status: 308, location: request.query.size === 0 ? moved : `${moved}?${request.query}` };
}

/** POST of a page's form. */
export async function takeAt(request: PageRequest, handle: string, answer: Answer): Promise<PageAnswer> {
  const entered = await enter(request, handle);
  return 'status' in entered ? entered : await answer(entered);
}

async function enter(request: PageRequest, handle: string): Promise<Portal | ShownPage> {
  const found = await request.call('getSeller', { actor: request.actor, params: { handle } });
  if (!found.ok) return found.problem.status === 404 ? noShop() : showRefusal(found, request.requestId);
  const shop = found.body;
  const path = `/p/${shop.handle}`;
  return { request, shop, path, sessions: await sessionsAt(request, shop.handle, handle) };
}

function noShop(): ShownPage {
  const { title, body } = unknownShopPage();
  return { status: 404, title, body };
}

/** A session that was opened under an earlier handle of the shop is still the shop's. */
async function sessionsAt(request: PageRequest, current: string, requested: string): Promise<OpenSession[]> {
  const all = openSessions(request.cookies);
  const here = new Set([current, requested]);
  if (!all.some(({ handle }) => here.has(handle))) {
    const others = [...new Set(all.map(({ handle }) => handle))];
    const sellers = await Promise.all(
      others.map((handle) => request.call('getSeller', { actor: request.actor, params: { handle } })),
    );
    for (const [index, seller] of sellers.entries()) {
      const other = others[index];
      if (seller.ok && seller.body.handle === current && other !== undefined) here.add(other);
    }
  }
  const own = all.filter(({ handle }) => here.has(handle));
  return [...own.filter(isOfAll), ...own.filter((session) => !isOfAll(session))];
}

const isOfAll = ({ subscriptionId }: OpenSession): boolean => subscriptionId === null;

/** What a session does is done by its buyer. */
export const buyerOf = ({ request }: Portal, { secret }: OpenSession) =>
  Object.assign({}, request.actor, { portalSession: secret });

/** The session of all of a buyer's purchases. */
export const wholeSession = ({ sessions }: Portal): OpenSession | undefined => sessions.find(isOfAll);

type Answered<Body> = { readonly ok: true; readonly body: Body } | Refused;

/** What is read of a subscription, with the session that may: of all that the buyer has, or of its card alone. */
export async function readAs<Body>(
  portal: Portal,
  subscriptionId: string,
  read: (session: OpenSession) => Promise<Answered<Body>>,
): Promise<{ readonly session: OpenSession; readonly body: Body } | ShownPage> {
  const may = portal.sessions.filter((session) => isOfAll(session) || session.subscriptionId === subscriptionId);
  let refusal = showLink(portal, { status: 401, notice: linkNotices.needed });
  for (const session of may) {
    const found = await read(session);
    if (found.ok) return { session, body: found.body };
    refusal = refuse(portal, found, session);
    if (found.problem.status !== 401 && found.problem.status !== 404) return refusal;
  }
  return refusal;
}

/** The page for what a session was refused. */
export function refuse(portal: Portal, refused: Refused, session: OpenSession): ShownPage {
  const { code, status } = refused.problem;
  if (code === 'portal_session_ended') {
    const { email } = session;
    const cookies = [forgetSession(session)];
    return Object.assign(showLink(portal, { status: 401, notice: linkNotices.ended, email }), { cookies });
  }
  if (status !== 404) return showRefusal(refused, portal.request.requestId);
  const { title, body } = nothingFoundPage(portal.path);
  return { status: 404, title, body };
}

interface Requested {
  readonly status?: number;
  readonly notice?: string | null;
  readonly email?: string;
  readonly error?: string;
}

/** The form for a link, filled in with what is known. */
export function showLink(portal: Portal, { status = 200, notice = null, email, error }: Requested): ShownPage {
  const content = { email: email ?? emailOf(portal.request.cookies), error, notice };
  return shown(portal, linkTitle, linkPage(portalOf(portal, content)), { status });
}

const linkTitle = 'Your purchases';

export function portalOf<Content>({ request, shop, path }: Portal, content: Content): PortalOf<Content> {
  return { shop, path, content, formats: formatsFor(request.languages), now: request.now, key: request.newKey() };
}

export function openedOf<Content>(portal: Portal, session: OpenSession, content: Content): OpenedOf<Content> {
  const visitor = { email: session.email, isOfCard: !isOfAll(session) };
  return Object.assign(portalOf(portal, content), { visitor });
}

interface Around extends Partial<Pick<ShownPage, 'head' | 'sources' | 'scripts' | 'isSecret' | 'retryAfterSeconds'>> {
  readonly status?: number;
}

/** A page in the colours of its shop. */
export function shown({ shop }: Portal, title: string, body: Html, around: Around = {}): ShownPage {
  const { status = 200, scripts = [] } = around;
  return {
    status,
    title: `${title} · ${shop.name}`,
    accent: shop.accentColor,
    head: around.head,
    scripts: ['portal.js', ...scripts],
    sources: around.sources,
    isSecret: around.isSecret,
    retryAfterSeconds: around.retryAfterSeconds,
    body,
  };
}

/** On to another page of the portal. */
export const onTo = (location: string, cookies: Redirect['cookies'] = []): Redirect => ({
  status: 303,
  location,
  cookies,
});
