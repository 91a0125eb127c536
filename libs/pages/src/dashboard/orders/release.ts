import { onTo, refusedPage } from '../frame/answers.ts';
import { formKey, freshForm, refusedForm } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { ordersPath } from './parts.ts';
import { releasePage } from './release-page.ts';

/** GET of what the release of a hold does. */
export async function showRelease(visit: Visit, { id: orderId = '' }: Params): Promise<DashboardPage> {
  return releasePage(visit, await visit.read('getOrder', { params: { orderId } }), freshForm(visit));
}

/** POST of the button. The page of the order shows what became of it. */
export async function takeRelease(visit: Visit, { id: orderId = '' }: Params): Promise<Answer> {
  const result = await visit.call('releaseOrder', { params: { orderId }, idempotencyKey: formKey(visit) });
  if (result.ok) return onTo(`${ordersPath}/${orderId}`);
  const order = await visit.read('getOrder', { params: { orderId } });
  return refusedPage(releasePage(visit, order, refusedForm(visit, result.problem, {})));
}
