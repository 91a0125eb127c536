import type { CheckoutOffer } from '@app/contracts/checkout-offers';
import type { CheckoutResource } from '@app/contracts/checkouts';
import type { Refused } from '../call.ts';
import type { PageCookie, PageRequest } from '../page.ts';
import { keepCheckout, keepsAffiliates, type OwnCheckout } from './checkout-cookies.ts';
import { errorsAt, fieldsOf, type OrderFields, type OrderForm, refusedFields } from './order-form.ts';
import { codeLater } from './order-page.texts.ts';
import { type ProductAddress, refOf, sourcesOf } from './product-address.ts';
import { buyer, findOffer } from './show-purchase.ts';

export interface SavedOrder {
  readonly ok: true;
  readonly own: OwnCheckout;
  readonly checkout: CheckoutResource;
  /** Sentences at the fields that were not accepted; the others are saved. */
  readonly errors: Record<string, string>;
  /** A bump that was chosen is no longer on offer. */
  readonly isBumpGone: boolean;
  readonly cookies: readonly PageCookie[];
}

/** Fields, bumps and the code are refused one after another. */
const attemptsMax = 5;

/** Saves what a form has in its checkout, which the first form opens. A field that is refused keeps no other back. */
export async function saveOrder(
  request: PageRequest,
  address: ProductAddress,
  own: OwnCheckout | undefined,
  form: OrderForm,
): Promise<SavedOrder | Refused> {
  const fields = fieldsOf(form);
  const sources = own === undefined ? sourcesOf(request, await offerOfAffiliate(request, address)) : {};
  const refused: string[] = [];
  /** Of a code that was not looked at. */
  const later: Record<string, string> = {};
  for (let attempt = 1; ; attempt++) {
    const saved =
      own === undefined ? await open(request, address, fields, sources) : await update(request, own, fields);
    if (saved.ok) {
      const isBumpGone = refused.includes('bumpIds');
      return Object.assign(saved, { errors: Object.assign(errorsAt(refused), later), isBumpGone });
    }
    // Where the buyer comes from is worth less than the sale.
    const wrong = refusedFields(saved.problem).filter((field) => leaveOut(fields, field) || leaveOut(sources, field));
    if (wrong.length === 0 || attempt === attemptsMax) return saved;
    refused.push(...wrong);
    if (saved.problem.code === 'rate_limited') later.code = codeLater(saved.retryAfterSeconds ?? 1);
  }
}

/** Only where the address or a cookie names an affiliate: everyone else's form waits for nothing. */
async function offerOfAffiliate(request: PageRequest, address: ProductAddress): Promise<CheckoutOffer | null> {
  if (refOf(request.query) === '' && !keepsAffiliates(request.cookies)) return null;
  const found = await findOffer(request, address);
  return found.ok ? found.body : null;
}

function leaveOut(fields: object, field: string): boolean {
  return Object.hasOwn(fields, field) && Reflect.deleteProperty(fields, field);
}

async function open(request: PageRequest, { handle, slug }: ProductAddress, fields: OrderFields, sources: object) {
  const { discountCode, ...rest } = fields;
  const body = Object.assign({ handle, slug }, rest, sources, discountCode ? { discountCode } : {});
  const opened = await request.call('openCheckout', { actor: request.actor, body });
  if (!opened.ok) return opened;
  const { secret, ...checkout } = opened.body;
  if (secret === undefined) throw new Error('a checkout was opened without its secret');
  const productId = request.form.get('product') ?? '';
  const own = { productId, checkoutId: checkout.id, secret, address: `${handle}/${slug}` };
  return { ok: true as const, own, checkout, cookies: keepCheckout(request.cookies, own) };
}

async function update(request: PageRequest, own: OwnCheckout, fields: OrderFields) {
  const actor = buyer(request, own);
  const params = { checkoutId: own.checkoutId };
  // A change that changes nothing is refused.
  const updated =
    Object.keys(fields).length === 0
      ? await request.call('getCheckout', { actor, params })
      : await request.call('updateCheckout', { actor, params, body: fields });
  return updated.ok ? { ok: true as const, own, checkout: updated.body, cookies: [] } : updated;
}
