import type { PageAnswer, PageRequest } from '../page.ts';
import { buyerOf, openedOf, type Portal, refuse, showAt, showLink, shown, takeAt, wholeSession } from './enter.ts';
import { linkNotices } from './link-pages.ts';
import { requestLink, showWayIn, signOut } from './open-link.ts';
import { purchasesPage } from './purchases-page.ts';
import { receiptPage } from './receipt-page.ts';

/** GET of the portal: all that the buyer has from the shop, or the way in. */
export const showPortal = (request: PageRequest, handle: string): Promise<PageAnswer> =>
  showAt(request, handle, '', showPurchases);

/** POST of the portal. */
export const takePortal = (request: PageRequest, handle: string): Promise<PageAnswer> =>
  takeAt(request, handle, async (portal) =>
    request.form.get('do') === 'sign-out' ? await signOut(portal) : await requestLink(portal),
  );

async function showPurchases(portal: Portal): Promise<PageAnswer> {
  const { request, path } = portal;
  const session = wholeSession(portal);
  if (session === undefined) return showWayIn(portal);
  const actor = buyerOf(portal, session);
  const before = request.query.get('before');
  const [orders, subscriptions] = await Promise.all([
    request.call('listPortalOrders', {
      actor,
      query: before === null ? { limit: pageSize } : { limit: pageSize, before },
    }),
    request.call('listPortalSubscriptions', { actor }),
  ]);
  if (!orders.ok) return refuse(portal, orders, session);
  if (!subscriptions.ok) return refuse(portal, subscriptions, session);
  const last = orders.body.data.at(-1);
  const content = {
    subscriptions: before === null ? subscriptions.body.data : [],
    orders: orders.body.data,
    firstUrl: before === null ? null : path,
    nextUrl: orders.body.has_more === true && last !== undefined ? `${path}?before=${last.id}` : null,
  };
  return shown(portal, 'Your purchases', purchasesPage(openedOf(portal, session, content)));
}

const pageSize = 20;

/** GET of an order's receipt. */
export const showReceipt = (request: PageRequest, handle: string, orderId: string): Promise<PageAnswer> =>
  showAt(request, handle, `/orders/${encodeURIComponent(orderId)}`, async (portal) => {
    const session = wholeSession(portal);
    if (session === undefined) return showLink(portal, { status: 401, notice: linkNotices.needed });
    const order = await request.call('getPortalOrder', { actor: buyerOf(portal, session), params: { orderId } });
    if (!order.ok) return refuse(portal, order, session);
    return shown(portal, 'Receipt', receiptPage(openedOf(portal, session, order.body)));
  });
