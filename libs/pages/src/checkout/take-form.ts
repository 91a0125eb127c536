import type { PageAnswer, PageRequest } from '../page.ts';
import { forgetCheckout, isProductId, type OwnCheckout } from './checkout-cookies.ts';
import { readOrderForm } from './order-form.ts';
import { back, busyForm, payBody, postKey } from './post-answers.ts';
import { actionOf, type ProductAddress } from './product-address.ts';
import { buyer, findOwn } from './show-purchase.ts';
import { takeOrder } from './take-order.ts';

/** POST of a product's address: the order's form, or one of the later steps'. */
export async function takeForm(request: PageRequest, address: ProductAddress): Promise<PageAnswer> {
  const step = request.form.get('do') ?? '';
  if (step === 'seen') return await countView(request, address);
  const own = findOwn(request, address, null);
  if (step === 'again') {
    const productId = own?.productId ?? request.form.get('product') ?? '';
    return back(request, address, isProductId(productId) ? [forgetCheckout(productId)] : []);
  }
  if (own === undefined || !isLaterStep(step)) return await takeOrder(request, address, own);
  return await takeStep(request, address, own, step);
}

/** A view is worth no page of errors: what fails is not counted. */
async function countView({ call, actor }: PageRequest, { handle, slug }: ProductAddress): Promise<PageAnswer> {
  await call('recordVisit', { actor, body: { handle, slug } });
  return { status: 204 };
}

const laterSteps = ['accept', 'decline', 'continue', 'pay-otherwise'] as const;
type LaterStep = (typeof laterSteps)[number];
const isLaterStep = (step: string): step is LaterStep => laterSteps.some((later) => later === step);

async function takeStep(
  request: PageRequest,
  address: ProductAddress,
  own: OwnCheckout,
  step: LaterStep,
): Promise<PageAnswer> {
  const done = await perform(request, address, own, step);
  if (done.ok || decided.includes(done.problem.code)) return back(request, address);
  if (done.problem.code === 'rate_limited')
    return busyForm(request, actionOf(address, request.query), done.retryAfterSeconds);
  return back(request, address, [], 'failed');
}

/** Another tab was first, or the same click twice: the page shows what became of it. */
const decided = ['invalid_transition', 'idempotency_key_in_use'];

async function perform(request: PageRequest, address: ProductAddress, own: OwnCheckout, step: LaterStep) {
  const actor = buyer(request, own);
  const params = { checkoutId: own.checkoutId };
  const idempotencyKey = postKey(request.form, step, request.form.get('card') ?? '');
  if (step === 'continue') return await request.call('continueCheckout', { actor, params, idempotencyKey });
  if (step === 'pay-otherwise') {
    const body = payBody(request, address, readOrderForm(request.form).values.card);
    return await request.call('payCheckout', { actor, params, idempotencyKey, body });
  }
  const body = { accept: step === 'accept' };
  return await request.call('decideUpsell', { actor, params, idempotencyKey, body });
}
