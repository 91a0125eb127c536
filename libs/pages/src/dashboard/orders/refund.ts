import { readAmount } from '../frame/amounts.ts';
import { onTo, refusedPage } from '../frame/answers.ts';
import { changedSince, type FormState, formKey, freshForm, refusedForm } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { ordersPath } from './parts.ts';
import { choosePaymentPage, paymentRefundPage } from './payment-refund-page.ts';
import { type Preview, type RefundContent, refundLabels, refundPage, refundsOf } from './refund-page.ts';

/** GET of what a refund would do: of the order, with its renewals, or of one payment. All of that is in the address. */
export async function showRefund(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  return refundPageOf(visit, await readContent(visit, id), freshForm(visit));
}

/** POST of the button. What has changed since the page was opened is shown first: the button names the amount that goes back. A second click gets the answer of the first. */
export async function takeRefund(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const content = await readContent(visit, id);
  const cents = refundCents(visit, content);
  const named = Number.parseInt(visit.request.form.get('cents') ?? '', 10);
  const isStale = cents !== named || isOld(visit, content);
  const result = await refund(visit, content, named, isStale);
  if (result.ok) return onTo(after(content, result.body.status === 'processing' ? 'processing' : 'done'));
  const problem = isStale ? changedSince(result.problem, refundLabels.changed) : result.problem;
  return refusedWith(visit, content, refusedForm(visit, problem, {}));
}

/** Whether more went back of the payment since the page was opened: a part may be as large as before. */
function isOld({ request: { form } }: Visit, content: RefundContent): boolean {
  const charge = chargeOf(content);
  return charge !== undefined && form.get('left') !== String(charge.amountCents - charge.refundedCents);
}

/** Payments of renewals are not among those of the order, so their own page shows what became of them. */
function after(content: RefundContent, refund: 'done' | 'processing'): string {
  const path = `${ordersPath}/${content.order.id}`;
  const isOfRenewal = chargeOf(content)?.renewal === true;
  return isOfRenewal ? `${path}/refund?payment=${content.payment}&refund=${refund}` : `${path}?refund=${refund}`;
}

const chargeOf = ({ preview, payment }: RefundContent): Preview['charges'][number] | undefined =>
  preview.charges.find(({ paymentId }) => paymentId === payment);

const refusedWith = (visit: Visit, content: RefundContent, state: FormState): DashboardPage =>
  refusedPage(refundPageOf(visit, content, state));

/** @param onlyRepeats the page is old: the click is answered if it is the second one */
function refund(visit: Visit, { order, payment, renewals }: RefundContent, cents: number, onlyRepeats: boolean) {
  const given = { idempotencyKey: formKey(visit), onlyRepeats };
  if (payment === null) {
    const body = renewals ? { renewals } : {};
    return visit.call('refundOrder', { params: { orderId: order.id }, body, ...given });
  }
  return visit.call('refundPayment', { params: { paymentId: payment }, body: { amountCents: cents }, ...given });
}

async function readContent(visit: Visit, orderId: string): Promise<RefundContent> {
  const { query } = visit.request;
  const payment = query.get('payment');
  const renewals = query.get('renewals') === 'true';
  const wanted = { renewals: payment !== null || renewals ? ('true' as const) : ('false' as const) };
  const [order, preview, automations] = await Promise.all([
    visit.read('getOrder', { params: { orderId } }),
    visit.read('previewRefund', { params: { orderId }, query: wanted }),
    payment === null ? undefined : visit.call('listAutomations', { query: {} }),
  ]);
  const known = automations?.ok ? automations.body.data : [];
  return { order, preview, payment, renewals, amount: query.get('amount'), automations: known };
}

/** What the button would give back; null where nothing can be. */
function refundCents(visit: Visit, content: RefundContent): number | null {
  const { order, preview, payment, amount } = content;
  if (payment === null) return refundsOf(preview).cents;
  const charge = chargeOf(content);
  if (charge === undefined) return null;
  if (amount === null) return charge.amountCents - charge.refundedCents;
  const read = readAmount(amount, order.currency, refundLabels.amount, visit.formats);
  return read.ok ? read.cents : null;
}

function refundPageOf(visit: Visit, content: RefundContent, state: FormState): DashboardPage {
  if (content.payment === null) return refundPage(visit, content, state);
  const charge = chargeOf(content);
  return charge === undefined
    ? choosePaymentPage(content, visit.formats)
    : paymentRefundPage(visit, content, charge, state);
}
