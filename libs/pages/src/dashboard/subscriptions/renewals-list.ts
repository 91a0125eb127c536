import type { PaymentResource } from '@app/contracts/payments';
import type { SubscriptionWithHistory } from '@app/contracts/subscriptions';
import { cardName } from '../../components/card-name.ts';
import { timeline } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { paymentBadge } from '../frame/badges.ts';
import { type Moment, newestFirst, paymentMoment } from '../frame/payments.ts';
import { when } from '../frame/times.ts';
import { latestFailure, reasonIn } from './state-notices.ts';

const texts = {
  try: (number: number, amount: string) => `Try ${number} of ${amount}`,
  refund: 'Refund this payment',
} as const;

/**
 * Every attempt to charge a renewal, newest first. Of several tries that failed for one reason the newest says it, and none where the
 * head of the page does.
 */
export function renewalsList(of: SubscriptionWithHistory, formats: Formats): Html {
  const head = of.status === 'past_due' ? latestFailure(of) : undefined;
  const said = new Set(head === undefined ? [] : sentencesOf(head));
  return timeline(newestFirst(of.payments.map((payment) => momentOf(of, payment, { formats, said }))));
}

interface Saying {
  readonly formats: Formats;
  /** What need not be said again. */
  readonly said: Set<string>;
}

function momentOf({ order_id }: SubscriptionWithHistory, payment: PaymentResource, { formats, said }: Saying): Moment {
  if (payment.step === 'renewal' && payment.status === 'declined') {
    const news = sentencesOf(payment).filter((sentence) => !said.has(sentence));
    for (const sentence of news) said.add(sentence);
    return failedTry(payment, news, formats);
  }
  const isRefundable = payment.step === 'renewal' && payment.status === 'succeeded';
  const href = `/app/orders/${order_id}/refund?payment=${payment.id}`;
  return paymentMoment(payment, formats, isRefundable ? html`<a href="${href}">${texts.refund}</a>` : undefined);
}

function failedTry(payment: PaymentResource, news: readonly string[], formats: Formats): Moment {
  const { try_no, amount_cents, currency, created_at: at } = payment;
  const card = cardName(payment);
  const detail = html`${[...(card === null ? [] : [`${card}.`]), ...news].join(' ')}`;
  const title = texts.try(try_no, formats.amount(amount_cents, currency));
  return { at, entry: { at: when(at, formats), title, detail, badge: paymentBadge(payment) } };
}

/** Why it failed, and what happens next. */
const sentencesOf = ({ explanation, next }: PaymentResource): string[] =>
  [reasonIn(explanation), next ?? ''].filter((sentence) => sentence !== '');
