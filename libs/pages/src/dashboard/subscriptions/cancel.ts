import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, formKey, freshForm, refusedForm } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { cancelPage } from './cancel-page.ts';
import { subscriptionsPath } from './parts.ts';

/** GET of the form that cancels a subscription. */
export const showCancel = (visit: Visit, { id = '' }: Params): Promise<DashboardPage> =>
  cancelPageOf(visit, id, freshForm(visit));

export async function takeCancel(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const at = visit.request.form.get('at') === 'period_end' ? 'period_end' : 'now';
  const params = { subscriptionId: id };
  const canceled = await visit.call('cancelSubscription', { params, body: { at }, idempotencyKey: formKey(visit, at) });
  if (canceled.ok)
    return onTo(`${subscriptionsPath}/${id}?did=cancel${canceled.body.renewal_under_way ? '_late' : ''}`);
  const page = await cancelPageOf(visit, id, refusedForm(visit, canceled.problem, {}));
  return refusedPage(page);
}

async function cancelPageOf(visit: Visit, id: string, state: FormState): Promise<DashboardPage> {
  const subscription = await visit.read('getSubscription', { params: { subscriptionId: id } });
  return cancelPage(visit, subscription, state);
}
