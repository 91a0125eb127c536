import type { PageRequest, ShownPage } from '../page.ts';
import type { CardForm } from './cards.ts';
import { cleanText } from './checkout-cookies.ts';
import { countriesFor } from './countries-for.ts';
import { codeLater, fieldErrors } from './order-page.texts.ts';
import { type OrderContent, type OrderValues, orderPage } from './order-page.ts';
import { actionOf, type ProductAddress, portalUrlAt } from './product-address.ts';
import { cardOf, checkoutPageOf, type Seen, shopOf, titleOf } from './views.ts';

/** Loaded after the page: it works without them. */
const pageScripts: readonly string[] = ['htmx.js', 'checkout.js'];

/** What a page of a purchase loads. Each may be redrawn to one with a card form, under the policy it was loaded with. */
export const cardPart = ({ module, sources }: CardForm): Pick<ShownPage, 'scripts' | 'sources'> => ({
  scripts: module === null ? pageScripts : [...pageScripts, module],
  sources,
});

/** What a form that was not accepted shows beside what is known. */
export interface OrderOutcome {
  readonly status?: number;
  readonly values?: OrderValues;
  readonly errors?: Readonly<Record<string, string>>;
  readonly notice?: OrderContent['notice'];
  readonly requestsRepeat?: boolean;
  readonly retryAfterSeconds?: number | null;
}

/** The page of an order: of the checkout, once there is one, else of the offer and what the address says. */
export function showOrder(
  request: PageRequest,
  address: ProductAddress,
  seen: Seen & { readonly productId: string },
  outcome: OrderOutcome,
): ShownPage {
  const { offer, checkout } = seen;
  const priced = checkout ?? offer;
  if (priced === null) throw new Error('nothing is bought here');
  const card = cardOf(seen, portalUrlAt(request.baseUrl, address.handle));
  const content: OrderContent = {
    bumps: priced.bumps,
    values: outcome.values ?? shownValues(request, seen),
    errors: outcome.errors ?? errorsOf(seen),
    notice: outcome.notice ?? null,
    takesCodes: offer?.hasDiscountCodes ?? false,
    appliedCode: appliedCodeOf(seen),
    refusedCode: outcome.errors?.code === undefined ? '' : (outcome.values?.code ?? ''),
    quote: priced.quote,
    requestsRepeat: outcome.requestsRepeat ?? false,
    card: priced.totalCents === 0 ? null : card,
    savesCard: priced.savesCard,
    countries: countriesFor(request.languages),
  };
  const post = {
    action: actionOf(address, request.query),
    // Without a checkout nothing can be done twice, and the page stays the same for its ETag.
    key: checkout === null ? 'new' : request.newKey(),
    productId: seen.productId,
    isCounted: checkout === null,
  };
  return {
    status: outcome.status ?? 200,
    title: titleOf(seen),
    accent: shopOf(seen).accentColor,
    ...cardPart(card),
    retryAfterSeconds: outcome.retryAfterSeconds,
    body: orderPage(checkoutPageOf(request, seen, post, content)),
  };
}

/** The address may name a code that takes nothing off. */
function errorsOf({ offer, checkout }: Seen): Record<string, string> {
  const { refusal = null, retryAfterSeconds } = (checkout === null && offer?.discount) || {};
  if (refusal === null) return {};
  return { code: refusal === 'too_many_attempts' ? codeLater(retryAfterSeconds ?? 1) : (fieldErrors.code ?? '') };
}

function appliedCodeOf({ offer, checkout }: Seen): string | null {
  if (checkout !== null) return checkout.discountCode;
  return offer?.discount?.refusal === null ? offer.discount.code : null;
}

function shownValues({ query }: PageRequest, { offer, checkout }: Seen): OrderValues {
  return {
    email: checkout?.email ?? cleanText(query.get('email'), 254),
    name: checkout?.name ?? '',
    country: checkout?.country ?? '',
    code: checkout === null && offer?.discount?.refusal != null ? offer.discount.code : '',
    card: '',
  };
}
