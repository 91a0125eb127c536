import type { PageAnswer, PageRequest } from '../page.ts';
import { keepCheckout, ownCheckoutOf } from './checkout-cookies.ts';
import { unknownTokenPage } from './notice-pages.ts';
import { back } from './post-answers.ts';
import { type ProductAddress, pathOf } from './product-address.ts';
import { findOffer, readCheckout } from './show-purchase.ts';

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
  return { status: 303, location: pathOf({ handle, slug }), cookies: restored };
}

/** The link of an earlier email, whose secret a script has sent: one that leads to no checkout opens the page as it is. */
export async function restoreAt(request: PageRequest, address: ProductAddress): Promise<PageAnswer> {
  const { form } = request;
  const restored = await restore(request, address, form.get('checkout') ?? '', form.get('secret') ?? '');
  return back(request, address, restored ?? []);
}

async function restore(request: PageRequest, address: ProductAddress, checkoutId: string, secret: string) {
  const parts = { checkoutId, secret, address: `${address.handle}/${address.slug}` };
  const own = ownCheckoutOf(Object.assign({ productId: checkoutId }, parts));
  if (own === null || (await readCheckout(request, own)) === null) return null;
  const found = await findOffer(request, address);
  // Where the address is no longer that of a product, the checkout stands for it.
  const productId = found.ok ? found.body.product.id : checkoutId;
  return keepCheckout(request.cookies, Object.assign({ productId }, parts));
}
