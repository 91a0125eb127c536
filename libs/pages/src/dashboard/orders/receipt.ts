import { onTo, refusedPage } from '../frame/answers.ts';
import { formKey, freshForm, refusedForm } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { ordersPath } from './parts.ts';
import { receiptPage } from './receipt-page.ts';

const labels = { email: 'Email' } as const;

/** GET of the form: the order's address stands in it, to be corrected. */
export async function showReceipt(visit: Visit, { id: orderId = '' }: Params): Promise<DashboardPage> {
  const order = await visit.read('getOrder', { params: { orderId } });
  return receiptPage(visit, order, freshForm(visit, { email: order.customer_email }));
}

/** POST of the button. The page of the order shows what became of the email. */
export async function takeReceipt(visit: Visit, { id: orderId = '' }: Params): Promise<Answer> {
  const email = (visit.request.form.get('email') ?? '').trim();
  const body = email === '' ? {} : { email };
  const idempotencyKey = formKey(visit, email);
  const result = await visit.call('resendReceipt', { params: { orderId }, body, idempotencyKey });
  if (result.ok) return onTo(`${ordersPath}/${orderId}?receipt=${result.body.id}`);
  const order = await visit.read('getOrder', { params: { orderId } });
  return refusedPage(receiptPage(visit, order, refusedForm(visit, result.problem, labels)));
}
