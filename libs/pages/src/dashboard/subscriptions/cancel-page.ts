import type { SubscriptionWithHistory } from '@app/contracts/subscriptions';
import { button } from '../../components/button.ts';
import { choices } from '../../components/choice.ts';
import { notice } from '../../components/notice.ts';
import { type Html, html } from '../../html.ts';
import { type FormState, form } from '../frame/forms.ts';
import { dayOf } from '../frame/times.ts';
import type { DashboardPage, Visit } from '../frame/visit.ts';
import { webhooksSent } from '../frame/webhooks-sent.ts';
import { aboutSubscription, backToSubscription } from './parts.ts';

const texts = {
  title: 'Cancel the subscription',
  when: 'When it ends',
  atEnd: (date: Html) => html`On ${date}, with its period`,
  atEndMeans: 'Until then it stays as it is, because it is paid. It can be kept until that day.',
  now: 'Now',
  nowMeans: 'It ends for good. What was paid is not refunded by this: each payment can be refunded.',
  nowPastDue: (amount: string) => `It ends for good. The ${amount} that is past due is not charged any more.`,
  common: 'No renewal is charged after it.',
  cancel: 'Cancel the subscription of',
  canceling: 'Canceling…',
  canceled: 'The subscription has ended.',
} as const;

export function cancelPage(visit: Visit, of: SubscriptionWithHistory, state: FormState): DashboardPage {
  const page = { title: texts.title, back: backToSubscription(of), about: aboutSubscription(of, visit.formats) };
  if (of.status === 'canceled') return Object.assign(page, { main: notice('info', texts.canceled) });
  const mayEndLater = of.status === 'active' && of.cancel_at === null && of.current_period_end > visit.request.now;
  const main = form(visit, {
    state,
    content: html`${mayEndLater ? whenItEnds(visit, of) : atOnce(visit, of)}<p>${texts.common}</p>${webhooksSent(html`<code>subscription.canceled</code>`)}`,
    buttons: button({
      label: html`<span>${texts.cancel} <bdi>${of.customer_email}</bdi></span>`,
      busyLabel: texts.canceling,
      kind: 'danger',
    }),
  });
  return Object.assign(page, { main });
}

const whenItEnds = ({ formats }: Visit, of: SubscriptionWithHistory): Html =>
  choices({
    legend: texts.when,
    name: 'at',
    kind: 'radio',
    choices: [
      {
        value: 'period_end',
        label: texts.atEnd(dayOf(of.current_period_end, formats)),
        hint: texts.atEndMeans,
        isChosen: true,
      },
      { value: 'now', label: texts.now, hint: texts.nowMeans, isChosen: false },
    ],
  });

function atOnce({ formats }: Visit, of: SubscriptionWithHistory): Html {
  const amount = formats.amount(of.amount_cents, of.currency);
  const means = of.status === 'past_due' ? texts.nowPastDue(amount) : texts.nowMeans;
  return html`<input type="hidden" name="at" value="now"><p>${means}</p>`;
}
