import type { CheckoutOffer, SellerResource } from '@app/contracts/checkout-offers';
import type { CheckoutResource } from '@app/contracts/checkouts';
import type { CardProcessor } from '@app/contracts/payment-processors';
import { formatsFor } from '../formats.ts';
import type { PageRequest } from '../page.ts';
import { type CardForm, cardFormOf } from './cards.ts';
import type { PageOf, Post, Purchase, Shop } from './model.ts';

/** What a buyer's page shows: what is on offer, the checkout that this browser has opened, or both. */
export interface Seen {
  /** Null where the product is no longer on sale, or at another address. */
  readonly offer: CheckoutOffer | null;
  /** The appearance of the shop's pages, where there is no offer to say so. */
  readonly seller?: SellerResource | null;
  readonly checkout: CheckoutResource | null;
}

/** @throws Error without an offer and without a checkout */
function purchaseOf(seen: Seen): Purchase {
  const { offer, checkout } = seen;
  const priced = checkout ?? offer;
  if (priced === null) throw new Error('nothing is bought here');
  return {
    shop: shopOf(seen),
    product: {
      name: priced.product.name,
      description: offer?.product.description ?? '',
      imageUrl: offer?.product.imageUrl ?? null,
      billingInterval: priced.product.billingInterval,
    },
    lines: priced.lines,
    totalCents: priced.totalCents,
    currency: priced.currency,
    isTest: priced.test,
  };
}

export function shopOf({ offer, seller = null, checkout }: Seen): Shop {
  const shop = offer?.seller ?? seller;
  if (shop !== null) return shop;
  const { name = '', supportEmail = '' } = checkout?.seller ?? {};
  return {
    handle: '',
    name,
    supportEmail,
    logoUrl: null,
    accentColor: null,
    termsUrl: null,
    refundPolicyUrl: null,
    portalCancel: false,
    withdrawalDays: 0,
    immediateAccessConsent: false,
  };
}

/**
 * The card fields of the seller's processor, in the mode of the purchase.
 * @param manageUrl the whole address of the shop's portal
 * @param name of the fields on their page
 * @throws Error without an offer and without a checkout
 */
export function cardOf(seen: Seen, manageUrl: string, name = 'card-fields'): CardForm {
  const { totalCents: amountCents, currency, isTest: _, lines, product } = purchaseOf(seen);
  const { savesCard } = seen.checkout ?? seen.offer ?? { savesCard: false };
  const price = lines.find(({ kind }) => kind === 'main')?.amountCents ?? 0;
  const { name: label, billingInterval: interval } = product;
  const renewal = interval === null ? null : { name: label, amountCents: price, interval, manageUrl };
  return cardFormOf(cardProcessorOf(seen), { name, mode: 'payment', amountCents, currency, savesCard, renewal });
}

/** A checkout says it while it has a card form; before and after that, the offer does. */
function cardProcessorOf({ offer, checkout }: Seen): CardProcessor | null {
  const processor = checkout?.processor ?? null;
  if (checkout !== null && processor !== null) return { processor, publishableKey: checkout.publishableKey };
  return offer;
}

/** A page of a purchase around its content. */
export function checkoutPageOf<Content>(
  request: PageRequest,
  seen: Seen,
  post: Post,
  content: Content,
): PageOf<Content> {
  return { purchase: purchaseOf(seen), post, formats: formatsFor(request.languages), content };
}

export const titleOf = (seen: Seen): string => {
  const shop = shopOf(seen).name;
  const name = (seen.checkout ?? seen.offer)?.product.name ?? '';
  return shop === '' ? name : `${name} · ${shop}`;
};
