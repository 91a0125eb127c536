import { formatsFor } from '../formats.ts';
import type { PageAnswer, PageCookie, PageRequest, ShownPage } from '../page.ts';
import { forgetCheckout, isProductId, type OwnCheckout } from './checkout-cookies.ts';
import { errorsAt, type OrderForm, readOrderForm, refusedFields } from './order-form.ts';
import { fieldErrors, orderNotices } from './order-page.texts.ts';
import { back, busyForm, payBody, postKey } from './post-answers.ts';
import { actionOf, type ProductAddress, portalUrlAt } from './product-address.ts';
import { type SavedOrder, saveOrder } from './save-order.ts';
import { type OrderOutcome, showOrder } from './show-order.ts';
import { buyer, findOffer } from './show-purchase.ts';
import { showRefusal } from './show-refusal.ts';
import { cardOf } from './views.ts';

/** One order's form, and what has become of it so far. */
interface Taken {
  readonly request: PageRequest;
  readonly address: ProductAddress;
  readonly form: OrderForm;
  readonly saved: SavedOrder;
}

/**
 * The whole form: what it has is saved, and if Pay was clicked and the buyer saw what it costs, it is paid. What is wrong is
 * said at its field, and nothing that was typed is lost.
 */
export async function takeOrder(
  request: PageRequest,
  address: ProductAddress,
  own: OwnCheckout | undefined,
): Promise<PageAnswer> {
  if (own === undefined && !isProductId(request.form.get('product') ?? '')) return back(request, address);
  const form = readOrderForm(request.form);
  const saved = await saveOrder(request, address, own, form);
  if (saved.ok) return await goOn({ request, address, form, saved });
  const { problem, retryAfterSeconds } = saved;
  if (problem.code === 'rate_limited') return busyForm(request, actionOf(address, request.query), retryAfterSeconds);
  // It was paid in another tab, say.
  if (own !== undefined && problem.code === 'invalid_transition') return back(request, address);
  // It is older than the platform keeps it: the same form opens another.
  if (own !== undefined && problem.code === 'checkout_not_found') return await takeOrder(request, address, undefined);
  return showRefusal(saved, request.requestId);
}

async function goOn(taken: Taken): Promise<PageAnswer> {
  const { request, address, form, saved } = taken;
  const outcome = refusalOf(taken);
  if (outcome !== null) return await show(taken, outcome);
  if (isPay(form)) return await pay(taken);
  // A field that was left is answered at once; a button leads back to the page.
  return form.action === '' ? await show(taken, {}) : back(request, address, saved.cookies);
}

const isPay = ({ action }: OrderForm): boolean => action === 'pay' || action === 'pay-again';

/** What the form has to say before it is paid; null where there is nothing. */
function refusalOf({ form, saved, request }: Taken): OrderOutcome | null {
  const errors = errorsOf(form, saved);
  const info = (text: string) => ({ meaning: 'info', text }) as const;
  if (Object.keys(errors).length > 0) {
    const isCodeAlone = isPay(form) && Object.keys(errors).join() === 'code';
    return { status: 422, values: form.values, errors, notice: isCodeAlone ? info(orderNotices.code_refused) : null };
  }
  const { checkout, isBumpGone } = saved;
  if (!isPay(form) || (form.quote === checkout.quote && !isBumpGone)) return null;
  if (isBumpGone) return { status: 422, notice: info(orderNotices.bump_gone) };
  const total = formatsFor(request.languages).amount(checkout.totalCents, checkout.currency);
  const code = form.values.code === '' || form.values.code === form.refusedCode ? null : checkout.discountCode;
  const text = code === null ? orderNotices.price_changed(total) : orderNotices.code_applied(code, total);
  return { status: 422, notice: info(text) };
}

/** A code that was refused before does not stand in the way of Pay again. */
function errorsOf(form: OrderForm, saved: SavedOrder): Record<string, string> {
  const errors = Object.assign({}, saved.errors);
  if (isPay(form) && form.values.email === '') errors.email = fieldErrors.email ?? '';
  if (isPay(form) && form.refusedCode !== '' && form.refusedCode === form.values.code) delete errors.code;
  return errors;
}

async function pay(taken: Taken): Promise<PageAnswer> {
  const { request, address, form, saved } = taken;
  const { checkout, own } = saved;
  const card = cardOf({ offer: null, checkout }, portalUrlAt(request.baseUrl, address.handle));
  const token = checkout.totalCents === 0 ? card.tokenOfNone : form.values.card;
  if (token === '') return await show(taken, { status: 422, errors: { card: card.missing } });
  const body = payBody(request, address, token);
  Object.assign(body, { totalCents: checkout.totalCents, quote: checkout.quote });
  if (form.values.agrees) Object.assign(body, { immediateAccess: true });
  if (form.action === 'pay-again') Object.assign(body, { confirmRepeat: true });
  const paid = await request.call('payCheckout', {
    actor: buyer(request, own),
    params: { checkoutId: own.checkoutId },
    idempotencyKey: postKey(request.form, form.action, token, checkout.quote),
    body,
  });
  if (paid.ok) return back(request, address, saved.cookies);
  switch (paid.problem.code) {
    case 'already_bought':
      return await show(taken, {
        status: 422,
        requestsRepeat: true,
        notice: { meaning: 'info', text: orderNotices.already_bought },
      });
    case 'validation_failed':
      return await showWrong(taken, errorsAt(refusedFields(paid.problem)));
    case 'price_changed':
    case 'bump_not_found':
    case 'discount_invalid':
      return await showChanged(taken);
    case 'test_mode_changed':
      return await openAnew(taken);
    case 'rate_limited':
      return await show(taken, {
        status: 429,
        retryAfterSeconds: paid.retryAfterSeconds,
        notice: { meaning: 'bad', text: orderNotices.too_many(Math.max(1, paid.retryAfterSeconds ?? 60)) },
      });
    case 'invalid_transition':
    case 'idempotency_key_in_use':
      return back(request, address, saved.cookies);
    case 'no_longer_for_sale':
      return showRefusal(paid, request.requestId);
    case 'checkout_not_found':
      return await takeOrder(request, address, undefined);
    default:
      return back(request, address, saved.cookies, 'failed');
  }
}

/** What Pay alone is refused for stands at its field; for anything else the page says that it did not work. */
async function showWrong(taken: Taken, errors: Record<string, string>): Promise<PageAnswer> {
  if (Object.keys(errors).length > 0) return await show(taken, { status: 422, errors });
  return back(taken.request, taken.address, taken.saved.cookies, 'failed');
}

/** The seller changed the price in the moment between: what is there now is shown. */
async function showChanged(taken: Taken): Promise<PageAnswer> {
  const { request, saved } = taken;
  const params = { checkoutId: saved.own.checkoutId };
  const read = await request.call('getCheckout', { actor: buyer(request, saved.own), params });
  if (!read.ok) return back(request, taken.address, saved.cookies, 'failed');
  const { totalCents, currency } = read.body;
  const text = orderNotices.price_changed(formatsFor(request.languages).amount(totalCents, currency));
  const changed = Object.assign({}, taken, { saved: Object.assign({}, saved, { checkout: read.body }) });
  return await show(changed, { status: 422, notice: { meaning: 'info', text } });
}

/** Opened in one mode and paid in the other: the same order in a checkout of the mode that holds now. */
async function openAnew({ request, address, form, saved }: Taken): Promise<PageAnswer> {
  const anew = await saveOrder(request, address, undefined, form);
  if (!anew.ok) return back(request, address, [forgetCheckout(saved.own.productId)]);
  const notice = { meaning: 'info', text: orderNotices.test_mode_changed } as const;
  return await show({ request, address, form, saved: anew }, { status: 422, notice });
}

/** The page of the order again, with the checkout as it is. */
async function show({ request, address, form, saved }: Taken, outcome: OrderOutcome): Promise<ShownPage> {
  const found = await findOffer(request, address);
  // Without the offer a page would lack what the buyer has before them.
  if (!found.ok && found.problem.code === 'rate_limited')
    return Object.assign(busyForm(request, actionOf(address, request.query), found.retryAfterSeconds), {
      cookies: saved.cookies,
    });
  const { checkout, own } = saved;
  const seen = { offer: found.ok ? found.body : null, checkout, productId: own.productId };
  const values = outcome.values ?? savedValues(form, saved);
  const cookies: readonly PageCookie[] = saved.cookies;
  return Object.assign(showOrder(request, address, seen, Object.assign({}, outcome, { values })), { cookies });
}

/** What was typed stays, also what was not saved; a code that is applied is typed no longer. */
function savedValues({ values }: OrderForm, { errors, checkout }: SavedOrder): OrderForm['values'] {
  const code = errors.code === undefined && checkout.discountCode !== null ? '' : values.code;
  return Object.assign({}, values, { code: errors.code === undefined ? '' : code });
}
