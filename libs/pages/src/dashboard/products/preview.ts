import { currency as currencyCode } from '@app/contracts/common';
import { drawnCardOf } from '../../checkout/cards.ts';
import { countriesFor } from '../../checkout/countries-for.ts';
import type { PageOf, Shop } from '../../checkout/model.ts';
import { type OrderContent, orderPage } from '../../checkout/order-page.ts';
import { upsellPage } from '../../checkout/upsell-page.ts';
import { type Html, html } from '../../html.ts';
import type { ShownPage } from '../../page.ts';
import { readAmount } from '../frame/amounts.ts';
import type { Params, Visit } from '../frame/visit.ts';
import { intervalOf, productLabels } from './product-form.ts';

const texts = {
  title: 'Preview',
  empty: 'Nothing to show yet',
  begin: 'Type a name and a price: this is what buyers will see.',
} as const;

interface Offer {
  readonly id: string;
  readonly headline: string;
  readonly description: string;
  readonly priceCents: number;
  readonly compareAtCents: number | null;
  readonly imageUrl: string | null;
}

/** A product and its offers, as buyers would see them. */
export interface Drawn {
  readonly name: string;
  readonly description: string;
  readonly imageUrl: string | null;
  readonly billingInterval: 'month' | 'year' | null;
  readonly priceCents: number;
  readonly currency: string;
  readonly bumps: readonly Offer[];
  /** In place of the order's page. */
  readonly upsell: Offer | null;
  readonly takesCodes: boolean;
}

/** Nothing can be drawn: a sentence says what is missing. */
class UndrawnError extends Error {}

/** GET and POST of the preview of a product that is being made. */
export const showNewPreview = (visit: Visit): Promise<ShownPage> =>
  drawing(visit, async () => {
    const { form } = visit.request;
    const empty = { description: '', imageUrl: null, bumps: [], upsell: null, takesCodes: false };
    return withTypedProduct(visit, Object.assign(empty, { name: '', priceCents: 0 }, typedTerms(form)));
  });

/**
 * GET and POST of the preview of a product: as it is stored, with what the form holds that was sent. The query says which part
 * of the funnel the form is about (`part`), and which offer (`offer`).
 */
export const showPreview = (visit: Visit, { productId = '' }: Params): Promise<ShownPage> =>
  drawing(visit, async () => {
    const params = { productId };
    const [product, funnel, discounts] = await Promise.all([
      visit.read('getProduct', { params }),
      visit.read('getFunnel', { params }),
      visit.read('listDiscounts', { params, query: { limit: 1 } }),
    ]);
    const offersOf = (all: typeof funnel.bumps) =>
      all.map(({ id, headline, description, price_cents, compare_at_cents, image_url, active }) => ({
        id,
        headline,
        description: description ?? '',
        priceCents: price_cents,
        compareAtCents: compare_at_cents,
        imageUrl: image_url,
        active,
      }));
    const stored: Drawn = {
      name: product.name,
      description: product.description ?? '',
      imageUrl: product.image_url,
      billingInterval: product.billing_interval,
      priceCents: product.price_cents,
      currency: product.currency,
      bumps: offersOf(funnel.bumps).filter(({ active }) => active === 1),
      upsell: null,
      takesCodes: discounts.data.length > 0,
    };
    const { query, form } = visit.request;
    const part = query.get('part');
    if (part === null) {
      if (form.size === 0) return stored;
      return withTypedProduct(visit, product.status === 'draft' ? { ...stored, ...typedTerms(form) } : stored);
    }
    const all = offersOf(part === 'upsell' ? funnel.upsells : funnel.bumps);
    const offer = offerOf(visit, stored.currency, all);
    if (part === 'upsell') return Object.assign(stored, { upsell: offer ?? undrawn() });
    return Object.assign(stored, { bumps: withOffer(stored.bumps, offer) });
  });

function typedTerms(form: URLSearchParams): Pick<Drawn, 'currency' | 'billingInterval'> {
  const currency = currencyCode.safeParse((form.get('currency') ?? '').trim().toLowerCase());
  return { currency: currency.success ? currency.data : undrawn(), billingInterval: intervalOf(form) };
}

const undrawn = (text: string = texts.begin): never => {
  throw new UndrawnError(text);
};

function withTypedProduct({ request: { form }, formats }: Visit, stored: Drawn): Drawn {
  const name = (form.get('name') ?? '').trim();
  if (name === '') undrawn();
  const typed = form.get('price') ?? '';
  if (typed.trim() === '') undrawn();
  const price = readAmount(typed, stored.currency, productLabels.priceCents, formats);
  if (!price.ok) return undrawn(price.error);
  return Object.assign({}, stored, {
    name,
    priceCents: price.cents,
    description: (form.get('description') ?? '').trim(),
  });
}

/** The offer that the form holds, or else the stored one; null for one that is being made. */
function offerOf({ request: { form, query }, formats }: Visit, currency: string, all: readonly Offer[]): Offer | null {
  const id = query.get('offer') ?? 'new';
  if (form.size === 0) return all.find((offer) => offer.id === id) ?? null;
  const headline = (form.get('headline') ?? '').trim();
  const typed = form.get('price') ?? '';
  if (headline === '' || typed.trim() === '') return null;
  const price = readAmount(typed, currency, productLabels.priceCents, formats);
  const description = (form.get('description') ?? '').trim();
  if (!price.ok) return undrawn(price.error);
  const earlier = (form.get('earlierPrice') ?? '').trim();
  const compareAt = earlier === '' ? null : readAmount(earlier, currency, productLabels.priceCents, formats);
  const { imageUrl = null } = all.find((offer) => offer.id === id) ?? {};
  const compareAtCents = compareAt?.ok ? compareAt.cents : null;
  return { id, headline, description, priceCents: price.cents, compareAtCents, imageUrl };
}

/** Where it stands already, else at the end. */
function withOffer(bumps: readonly Offer[], offer: Offer | null): readonly Offer[] {
  if (offer === null) return bumps;
  return bumps.some(({ id }) => id === offer.id)
    ? bumps.map((bump) => (bump.id === offer.id ? offer : bump))
    : [...bumps, offer];
}

/** The page of what is drawn. @param change of the shop's own settings, which are not saved yet */
export async function drawing(
  visit: Visit,
  draw: () => Promise<Drawn>,
  change: (shop: Shop) => Shop = (shop) => shop,
): Promise<ShownPage> {
  const page = { status: 200, title: texts.title, isFramed: true };
  try {
    const [drawn, settings, account] = await Promise.all([draw(), visit.read('getSettings', {}), visit.account()]);
    const shop = change(shopOf(settings));
    const body = previewedPage(visit, drawn, shop, {
      isTest: account.testMode,
      processor: account.processor ?? '',
    });
    return Object.assign(page, { accent: shop.accentColor, body });
  } catch (err) {
    if (!(err instanceof UndrawnError)) throw err;
    const body = html`<main class="single"><h1>${texts.empty}</h1><p class="quiet">${err.message}</p></main>`;
    return Object.assign(page, { body });
  }
}

const shopOf = (settings: Omit<Shop, 'name'> & { readonly businessName: string }): Shop => ({
  handle: settings.handle,
  name: settings.businessName,
  logoUrl: settings.logoUrl,
  accentColor: settings.accentColor,
  supportEmail: settings.supportEmail,
  termsUrl: settings.termsUrl,
  refundPolicyUrl: settings.refundPolicyUrl,
  portalCancel: settings.portalCancel,
  withdrawalDays: settings.withdrawalDays,
  immediateAccessConsent: settings.immediateAccessConsent,
});

interface Checkout {
  readonly isTest: boolean;
  readonly processor: string;
}

/** The checkout's own view: of the order, or of the upsell after it. */
function previewedPage({ request, formats }: Visit, drawn: Drawn, shop: Shop, { isTest, processor }: Checkout): Html {
  const { name, description, imageUrl, billingInterval, priceCents, currency, upsell } = drawn;
  const page = {
    purchase: {
      shop,
      product: { name, description, imageUrl, billingInterval },
      lines: [{ kind: 'main', label: name, amountCents: priceCents }],
      totalCents: priceCents,
      currency,
      isTest,
    },
    post: { action: '#', key: '', productId: '' },
    formats,
  } satisfies Omit<PageOf<unknown>, 'content'>;
  if (upsell === null) return orderPage(Object.assign(page, { content: orderOf(drawn, request.languages, processor) }));
  const { priceCents: amountCents, ...shown } = upsell;
  return upsellPage(
    Object.assign(page, { content: { ...shown, amountCents, expiresAt: null, now: request.now, notice: null } }),
  );
}

const orderOf = (drawn: Drawn, languages: string | undefined, processor: string): OrderContent => ({
  bumps: drawn.bumps.map((bump) => ({ ...bump, description: bump.description || null, chosen: false })),
  values: { email: '', name: '', country: '', code: '', card: '' },
  errors: {},
  notice: null,
  takesCodes: drawn.takesCodes,
  isDrawn: true,
  appliedCode: null,
  refusedCode: '',
  quote: '',
  requestsRepeat: false,
  card: drawn.priceCents === 0 ? null : drawnCardOf(processor),
  savesCard: drawn.billingInterval !== null,
  countries: countriesFor(languages),
});
