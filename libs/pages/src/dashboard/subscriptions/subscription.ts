import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, formKey, freshForm, refusedForm } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { subscriptionsPath } from './parts.ts';
import { subscriptionPage } from './subscription-page.ts';

/** GET of one subscription: how it stands, what was tried, and what to do. */
export const showSubscription = (visit: Visit, { id = '' }: Params): Promise<DashboardPage> =>
  subscriptionPageOf(visit, id, freshForm(visit));

const changes = {
  pause: 'pauseSubscription',
  resume: 'resumeSubscription',
  keep: 'keepSubscription',
} as const;

/** POST of a button that changes it at once. */
export async function takeSubscription(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const wanted = visit.request.form.get('do');
  const change = wanted === 'pause' || wanted === 'resume' || wanted === 'keep' ? wanted : null;
  const params = { subscriptionId: id };
  if (change === null) {
    await visit.read('getSubscription', { params });
    return onTo(`${subscriptionsPath}/${id}`);
  }
  const changed = await visit.call(changes[change], { params, idempotencyKey: formKey(visit, change) });
  if (!changed.ok) {
    const page = await subscriptionPageOf(visit, id, refusedForm(visit, changed.problem, {}));
    return refusedPage(page);
  }
  const late = changed.body.renewal_under_way ? '_late' : '';
  return onTo(`${subscriptionsPath}/${id}?did=${change}${late}`);
}

async function subscriptionPageOf(visit: Visit, id: string, state: FormState): Promise<DashboardPage> {
  const subscription = await visit.read('getSubscription', { params: { subscriptionId: id } });
  return subscriptionPage(visit, { subscription, did: visit.request.query.get('did') }, state);
}
