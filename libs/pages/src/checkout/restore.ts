import type { Refused } from '../call.ts';
import type { PageAnswer, PageRequest, ShownPage } from '../page.ts';
import { keepCheckout, ownCheckoutOf } from './checkout-cookies.ts';
import { type NoticePage, restorePage, unknownTokenPage, usedLinkPage } from './notice-pages.ts';
import { type ProductAddress, pathOf, portalPathOf } from './product-address.ts';
import { findOffer } from './show-purchase.ts';
import { showRefusal } from './show-refusal.ts';

/** What a reminder's link says. */
interface RestoreLink {
  readonly token: string;
  readonly address: ProductAddress;
}

/**
 * `{token}.{handle}.{slug}`. Links of earlier emails begin with the id of the checkout: what follows was a secret of it, and is the
 * token.
 */
function linkOf(text: string): RestoreLink | null {
  const [, token, handle, slug] = form.exec(text) ?? [];
  return token && handle && slug ? { token, address: { handle, slug } } : null;
}

const form = /^(?:cko_[a-z0-9]{26}\.)?([A-Za-z0-9_-]{40,100})\.([a-z0-9-]{1,100})\.([a-z0-9-]{1,100})$/;

/** GET of the link: it changes nothing, because mail scanners open links, and some run scripts. */
export async function showRestore(request: PageRequest, text: string): Promise<ShownPage> {
  const link = linkOf(text);
  if (link === null) return shown(404, unknownTokenPage());
  const found = await findOffer(request, link.address);
  // A product's address may have changed since, or be another product's: the checkout has its own.
  if (!found.ok && found.problem.status === 404) return shown(200, restorePage(null));
  if (!found.ok) return showRefusal(found, request.requestId);
  const { seller, product } = found.body;
  return { ...shown(200, restorePage({ product: product.name, seller: seller.name })), accent: seller.accentColor };
}

/** POST of the link: a copy of the checkout becomes this browser's own. */
export async function restoreCheckout(request: PageRequest, text: string): Promise<PageAnswer> {
  const link = linkOf(text);
  if (link === null) return shown(404, unknownTokenPage());
  const { token, address } = link;
  const restored = await request.call('restoreCheckout', { actor: request.actor, body: { token } });
  if (!restored.ok) return showRefused(request, address, restored);
  const found = await findOffer(request, address);
  const { id: checkoutId, secret = '' } = restored.body;
  // Where the address is no longer that of a product, the checkout stands for it.
  const productId = found.ok ? found.body.product.id : checkoutId;
  const own = ownCheckoutOf({ productId, checkoutId, secret, address: `${address.handle}/${address.slug}` });
  if (own === null) return shown(404, unknownTokenPage());
  return { status: 303, location: pathOf(address), cookies: keepCheckout(request.cookies, own) };
}

function showRefused(request: PageRequest, address: ProductAddress, refused: Refused): ShownPage {
  const { code, detail } = refused.problem;
  if (code === 'checkout_not_found' || code === 'validation_failed') return shown(404, unknownTokenPage());
  if (code === 'invalid_transition') return shown(409, usedLinkPage(detail, pathOf(address), portalPathOf(address)));
  return showRefusal(refused, request.requestId);
}

const shown = (status: number, page: NoticePage): ShownPage => Object.assign({ status }, page);
