import type { PageAnswer, PageCookie, PageRequest } from '../page.ts';
import { keepCheckout, ownCheckoutOf } from './checkout-cookies.ts';
import { unknownTokenPage } from './notice-pages.ts';
import { back } from './post-answers.ts';
import { type ProductAddress, pathOf } from './product-address.ts';
import { findOffer, isGone, readCheckout } from './show-purchase.ts';
import { type Refused, showRefusal } from './show-refusal.ts';

/**
 * The link of a reminder, `{checkout}.{secret}.{handle}.{slug}`: the checkout becomes this browser's own, without script, and
 * its secret leaves the address. It changes nothing else, so that a mail scanner may open it.
 */
export async function restoreCheckout(request: PageRequest, token: string): Promise<PageAnswer> {
  const [checkoutId = '', secret = '', handle = '', slug = ''] = token.split('.');
  const restored = await restore(request, { handle, slug }, checkoutId, secret);
  if (restored === null) {
    const { title, body } = unknownTokenPage();
    return { status: 404, title, body };
  }
  if ('problem' in restored) return showRefusal(restored, request.requestId);
  return { status: 303, location: pathOf({ handle, slug }), cookies: restored };
}

/** The link of an earlier email, whose secret a script has sent: one that leads to no checkout opens the page as it is. */
export async function restoreAt(request: PageRequest, address: ProductAddress): Promise<PageAnswer> {
  const { form } = request;
  const restored = await restore(request, address, form.get('checkout') ?? '', form.get('secret') ?? '');
  return restored !== null && 'problem' in restored
    ? showRefusal(restored, request.requestId)
    : back(request, address, restored ?? []);
}

/** Null for a link that leads to no checkout. */
async function restore(
  request: PageRequest,
  address: ProductAddress,
  checkoutId: string,
  secret: string,
): Promise<PageCookie[] | Refused | null> {
  const parts = { checkoutId, secret, address: `${address.handle}/${address.slug}` };
  const own = ownCheckoutOf(Object.assign({ productId: checkoutId }, parts));
  if (own === null) return null;
  const read = await readCheckout(request, own);
  if (!read.ok) return isGone(read) ? null : read;
  const found = await findOffer(request, address);
  // Where the address is no longer that of a product, the checkout stands for it.
  const productId = found.ok ? found.body.product.id : checkoutId;
  return keepCheckout(request.cookies, Object.assign({ productId }, parts));
}
