import type { CheckoutOffer } from '@app/contracts/checkout-offers';
import type { CheckoutResource } from '@app/contracts/checkouts';
import type { CallResult, Operations, Refused } from '../call.ts';
import { cardName } from '../components/card-name.ts';
import { checkHead, checksOf } from '../components/checks.ts';
import { type Html, html } from '../html.ts';
import type { PageAnswer, PageRequest, Redirect, ShownPage } from '../page.ts';
import { describedMax, shortened } from '../text.ts';
import { bankPage } from './bank-page.ts';
import { cleanText, keepAffiliate, keptAffiliate, type OwnCheckout, ownCheckouts } from './checkout-cookies.ts';
import { confirmingOf, isSecretWay } from './confirming.ts';
import type { Post } from './model.ts';
import { unknownShopPage } from './notice-pages.ts';
import { orderNotices } from './order-page.texts.ts';
import { processingPage } from './processing-page.ts';
import {
  actionOf,
  noUtm,
  type ProductAddress,
  pathOf,
  portalPathOf,
  portalUrlAt,
  refOf,
  utmOf,
} from './product-address.ts';
import { cardPart, showOrder } from './show-order.ts';
import { showRefusal } from './show-refusal.ts';
import { findSeller } from './show-shop.ts';
import { endedPage, type ThanksContent, thanksPage } from './thanks-page.ts';
import { upsellPage } from './upsell-page.ts';
import { cardOf, checkoutPageOf, type Seen, shopOf, titleOf } from './views.ts';

/** GET of a product's address: its order, or how far this browser's purchase of it is. */
export async function showPurchase(request: PageRequest, address: ProductAddress): Promise<PageAnswer> {
  const found = await findOffer(request, address);
  const offer = found.ok ? found.body : null;
  if (offer !== null && hasMoved(address, offer)) return movedTo(request, offer);
  const cookies = offer === null ? [] : keepAffiliate(request.cookies, offer.seller.key, offer.affiliateCode);
  const own = findOwn(request, address, offer);
  const read = own === undefined ? null : await readCheckout(request, own);
  if (read !== null && !read.ok && !isGone(read)) return showRefusal(read, request.requestId);
  if (own !== undefined && read?.ok) {
    const seller = offer === null ? await findSeller(request, address.handle) : null;
    const { body: checkout, clientSecret } = read;
    if (checkout.status === 'open') await followLink(request, own, offer);
    const shown = showCheckout(request, address, { offer, seller, checkout, clientSecret, productId: own.productId });
    return Object.assign(shown, { cookies });
  }
  if (!found.ok) return await showNoOffer(request, address, found);
  const shown = showOrder(request, address, { offer, checkout: null, productId: found.body.product.id }, {});
  return Object.assign(shown, { cookies, isIndexed: true, head: shareHead(found.body) });
}

/** The address has a handle or a slug of before. */
const hasMoved = ({ handle, slug }: ProductAddress, { seller, product }: CheckoutOffer): boolean =>
  handle !== seller.handle || slug !== product.slug;

/** To the handle and the slug of today. What the release before kept under the earlier handle goes along. */
function movedTo(request: PageRequest, { seller, product }: CheckoutOffer): Redirect {
  const moved = pathOf({ handle: seller.handle, slug: product.slug });
  const location = request.query.size === 0 ? moved : `${moved}?${request.query}`;
  return { status: 308, location, cookies: keepAffiliate(request.cookies, seller.key, null) };
}

/**
 * The order's affiliate and campaign are those of the last link, to whichever product of the shop. What cannot be written is worth
 * less than the page.
 */
async function followLink(request: PageRequest, own: OwnCheckout, offer: CheckoutOffer | null): Promise<void> {
  if (offer === null) return;
  const utm = utmOf(request.query);
  const affiliateCode = offer.affiliateCode ?? keptAffiliate(request.cookies, offer.seller.key);
  const isLink = offer.affiliateCode !== null || utm !== null;
  if (!isLink && affiliateCode === '') return;
  const body = Object.assign({}, isLink ? (utm ?? noUtm) : {}, affiliateCode === '' ? {} : { affiliateCode });
  const params = { checkoutId: own.checkoutId };
  await request.call('updateCheckout', { actor: buyer(request, own), params, body });
}

async function showNoOffer(request: PageRequest, { handle }: ProductAddress, refused: Refused): Promise<ShownPage> {
  const isShop = refused.problem.code !== 'product_not_found' || (await findSeller(request, handle)) !== null;
  if (isShop) return showRefusal(refused, request.requestId);
  const { title, body } = unknownShopPage();
  return { status: 404, title, body };
}

/** What is on offer, for the choice that the address names. */
export async function findOffer({ call, actor, query }: PageRequest, { handle, slug }: ProductAddress) {
  const discountCode = cleanText(query.get('discount'), 50);
  const affiliateCode = refOf(query);
  return await call('getOffer', {
    actor,
    params: { handle, slug },
    query: Object.assign({}, discountCode ? { discountCode } : {}, affiliateCode ? { affiliateCode } : {}),
  });
}

/** This browser's checkout of the product; where the address leads to none, the one that was opened there. */
export function findOwn(
  { cookies, form }: PageRequest,
  { handle, slug }: ProductAddress,
  offer: CheckoutOffer | null,
): OwnCheckout | undefined {
  const productId = offer?.product.id ?? form.get('product');
  const all = ownCheckouts(cookies);
  return all.find((own) => own.productId === productId) ?? all.find((own) => own.address === `${handle}/${slug}`);
}

/** The cookie leads to no checkout any more: it is older than the platform keeps it, or what it sold is gone. */
const isGone = ({ problem: { code } }: Refused): boolean =>
  code === 'checkout_not_found' || code === 'no_longer_for_sale';

type ReadCheckout = CallResult<Operations['getCheckout']> & { readonly clientSecret?: string | undefined };

/**
 * This browser's checkout, as far as its payment is by now. The page that paid has sent the browser here: what a script needs for the bank's
 * challenge is requested of the processor now (`continueCheckout`), and stored nowhere.
 */
async function readCheckout(request: PageRequest, own: OwnCheckout): Promise<ReadCheckout> {
  const actor = buyer(request, own);
  const params = { checkoutId: own.checkoutId };
  const read = await request.call('getCheckout', { actor, params });
  if (!read.ok) return read;
  const { status, action } = read.body;
  // The bank sent the buyer back, or a script shows it: its answer may be there by now, and else what the script needs.
  const isRequested = status === 'requires_action' && (request.query.has('back') || action === null);
  if (status !== 'processing' && !isRequested) return read;
  const requested = await request.call('continueCheckout', { actor, params });
  const again = await request.call('getCheckout', { actor, params });
  return again.ok
    ? Object.assign({}, again, { clientSecret: requested.ok ? requested.body.clientSecret : undefined })
    : read;
}

export const buyer = ({ actor }: PageRequest, { secret }: OwnCheckout) =>
  Object.assign({}, actor, { checkoutSecret: secret });

/** The page of a checkout: how far it is decides. */
function showCheckout(request: PageRequest, address: ProductAddress, seen: OfCheckout): ShownPage {
  const { checkout } = seen;
  if (checkout.status !== 'open') return showStep(request, address, seen);
  const text = problemOf(request, checkout);
  return showOrder(request, address, seen, text === null ? {} : { notice: { meaning: 'bad', text } });
}

/** What went wrong last: a decline, until the order is changed. */
function problemOf({ query }: PageRequest, { reason }: CheckoutResource): string | null {
  if (query.has('failed')) return orderNotices.unavailable;
  return reason === null ? null : orderNotices[reason];
}

interface OfCheckout extends Seen {
  readonly checkout: CheckoutResource;
  readonly productId: string;
  /** What the processor's script shows the bank's page with. */
  readonly clientSecret?: string | undefined;
}

function showStep(request: PageRequest, address: ProductAddress, seen: OfCheckout): ShownPage {
  const post = { action: actionOf(address, request.query), key: request.newKey(), productId: seen.productId };
  const manageUrl = portalUrlAt(request.baseUrl, address.handle);
  const step = stepOf(request, address, seen);
  return {
    status: 200,
    title: titleOf(seen),
    accent: shopOf(seen).accentColor,
    ...cardPart(cardOf(seen, manageUrl)),
    isSecret: step.isSecret,
    head: step.head,
    body: step.body(post),
  };
}

interface Step {
  readonly body: (post: Post) => Html;
  readonly head?: Html;
  readonly isSecret?: boolean;
}

function stepOf(request: PageRequest, address: ProductAddress, seen: OfCheckout): Step {
  const { checkout } = seen;
  const notice = request.query.has('failed') ? orderNotices.unavailable : null;
  switch (checkout.status) {
    case 'processing': {
      const checks = checksOf(request.query);
      const content = { checks, nextUrl: `${pathOf(address)}?check=${checks + 1}` };
      return { head: checkHead(content), body: (post) => processingPage(checkoutPageOf(request, seen, post, content)) };
    }
    case 'requires_action': {
      const confirming = confirmingOf(checkout.action?.url, seen.clientSecret, checkout.publishableKey);
      const content = {
        confirming,
        card: cardOf(seen, portalUrlAt(request.baseUrl, address.handle), 'other-card-fields'),
        chosenCard: '',
        quote: checkout.quote,
        notice,
      };
      return {
        isSecret: isSecretWay(confirming),
        body: (post) => bankPage(checkoutPageOf(request, seen, post, content)),
      };
    }
    case 'authorized': {
      const { headline = '', description = null, amountCents = 0, expiresAt = null } = checkout.upsell ?? {};
      const { compareAtCents = null, imageUrl = null } = checkout.upsell ?? {};
      const shown = { headline, description: description ?? '', amountCents, compareAtCents, imageUrl };
      const content = Object.assign(shown, { expiresAt, now: request.now, notice });
      return { body: (post) => upsellPage(checkoutPageOf(request, seen, post, content)) };
    }
    case 'paid':
      return { body: (post) => thanksPage(checkoutPageOf(request, seen, post, thanksOf(address, checkout))) };
    default:
      return {
        body: (post) => endedPage(checkoutPageOf(request, seen, post, { isRefunded: checkout.status === 'refunded' })),
      };
  }
}

function thanksOf(
  { handle }: ProductAddress,
  { orderId, paidAt, lastFour, wallet, email, name, lines, upsell }: CheckoutResource,
): ThanksContent {
  return {
    orderId: orderId ?? '',
    paidAt,
    cardName: cardName({ last_four: lastFour, wallet }),
    email: email ?? '',
    name: name ?? '',
    bought: lines.filter(({ kind }) => kind !== 'discount').map(({ label, accessUrl: href }) => ({ label, href })),
    isUpsellDeclined: upsell?.status === 'card_declined',
    portalUrl: portalPathOf({ handle }),
  };
}

/** What search engines and links in chats show of a live product. */
function shareHead({ product, seller }: CheckoutOffer): Html {
  const about = [product.description ?? '', seller.name].find((text) => text !== '') ?? product.name;
  const description = shortened(about, describedMax);
  return html`<meta name="description" content="${description}">
<link rel="canonical" href="${product.checkoutUrl}">
<meta property="og:type" content="product">
<meta property="og:title" content="${product.name}">
<meta property="og:description" content="${description}">
<meta property="og:site_name" content="${seller.name}">
<meta property="og:url" content="${product.checkoutUrl}">
${product.imageUrl !== null && html`<meta property="og:image" content="${product.imageUrl}">`}`;
}
