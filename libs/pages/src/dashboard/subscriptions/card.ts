import { onTo, refusedPage } from '../frame/answers.ts';
import { type FormState, formKey, freshForm, refusedForm } from '../frame/forms.ts';
import type { Answer, DashboardPage, Params, Visit } from '../frame/visit.ts';
import { type CardLink, cardLabels, cardPage } from './card-page.ts';
import { subscriptionsPath } from './parts.ts';

/** GET of the ways to another card. */
export const showCard = (visit: Visit, { id = '' }: Params): Promise<DashboardPage> =>
  cardPageOf(visit, id, freshForm(visit), null);

/** POST of one of them: a link for the buyer, or a token that the seller's own site got from the payment processor. */
export async function takeCard(visit: Visit, { id = '' }: Params): Promise<Answer> {
  return visit.request.form.get('do') === 'link' ? await makeLink(visit, id) : await saveToken(visit, id);
}

async function makeLink(visit: Visit, id: string): Promise<Answer> {
  const { customer_email: email } = await visit.read('getSubscription', { params: { subscriptionId: id } });
  const made = await visit.call('createPortalLink', {
    body: { email, subscriptionId: id },
    idempotencyKey: formKey(visit, 'link'),
  });
  if (!made.ok) return refused(visit, id, refusedForm(visit, made.problem, {}));
  return await cardPageOf(visit, id, freshForm(visit), made.body);
}

async function saveToken(visit: Visit, id: string): Promise<Answer> {
  const paymentMethod = visit.request.form.get('paymentMethod')?.trim() ?? '';
  const saved = await visit.call('putPaymentMethod', {
    params: { subscriptionId: id },
    body: { paymentMethod },
    idempotencyKey: formKey(visit, 'token'),
  });
  if (!saved.ok) return refused(visit, id, refusedForm(visit, saved.problem, cardLabels));
  return onTo(`${subscriptionsPath}/${id}?did=card`);
}

const refused = async (visit: Visit, id: string, state: FormState): Promise<Answer> =>
  refusedPage(await cardPageOf(visit, id, state, null));

async function cardPageOf(visit: Visit, id: string, state: FormState, link: CardLink | null): Promise<DashboardPage> {
  const subscription = await visit.read('getSubscription', { params: { subscriptionId: id } });
  return cardPage(visit, { subscription, link }, state);
}
