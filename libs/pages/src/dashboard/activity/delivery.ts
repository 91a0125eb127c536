import { onTo, refusedPage } from '../frame/answers.ts';
import { formKey, refusedForm } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { waiting } from '../frame/waiting.ts';
import { deliveryPage, underWay } from './delivery-page.ts';

/** GET of one delivery: what is wrong with it and what to do, then what was sent and answered. */
export async function showDelivery(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  const delivery = await visit.read('getWebhookDelivery', { params: { deliveryId: id } });
  const page = deliveryPage(visit, { delivery, problem: null });
  const { status, next_attempt_at: next } = delivery;
  // One that is due, or is tried within a minute, shows what comes of it.
  const isSoon = next === null || Date.parse(next) - Date.parse(visit.request.now) < 60_000;
  const isUnderWay = status === 'sending' || (status === 'pending' && isSoon);
  return isUnderWay ? waiting(visit, page, underWay()) : page;
}

/** POST that sends it again. */
export async function takeDelivery(visit: Visit, { id = '' }: Params): Promise<Answer> {
  const params = { deliveryId: id };
  const sent = await visit.call('redeliverWebhook', { params, idempotencyKey: formKey(visit) });
  if (sent.ok) return onTo(visit.path);
  const delivery = await visit.read('getWebhookDelivery', { params });
  return refusedPage(deliveryPage(visit, { delivery, problem: refusedForm(visit, sent.problem, {}) }));
}
