import type { DisputeResource, DisputeStatus } from '@app/contracts/disputes';
import type { OrderWithPayments } from '@app/contracts/orders';
import { badge, notice } from '../../components/notice.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import type { Moment } from '../frame/payments.ts';
import { when } from '../frame/times.ts';

const texts = {
  open: (amount: string, reason: string) => `The buyer’s bank disputes ${amount} of this order. Reason: ${reason}.`,
  inquiry: (amount: string, reason: string) =>
    `The buyer’s bank inquires about ${amount} of this order, and has taken no money. Reason: ${reason}.`,
  evidence: 'Give evidence at the payment processor until',
  answer: 'Answer it at the payment processor.',
  noRefund: 'It cannot be refunded meanwhile.',
  opened: (amount: string) => `The buyer’s bank disputed ${amount}.`,
  inquired: (amount: string) => `The buyer’s bank inquired about ${amount}.`,
  closed: (amount: string) => `The dispute of ${amount} ended.`,
  reason: (reason: string) => `Reason: ${reason}.`,
} as const;

const badges: Readonly<Record<DisputeStatus, Html>> = {
  needs_response: badge('bad', 'Needs evidence'),
  under_review: badge('warn', 'Under review'),
  won: badge('good', 'Won'),
  lost: badge('bad', 'Lost'),
  prevented: badge('none', 'Prevented'),
  warning_needs_response: badge('warn', 'Inquiry: needs an answer'),
  warning_under_review: badge('info', 'Inquiry: under review'),
  warning_closed: badge('none', 'Inquiry ended'),
};

const isInquiry = ({ status }: DisputeResource): boolean => status.startsWith('warning');
const words = (reason: string): string => reason.replaceAll('_', ' ');

/** Whether an open dispute keeps the payment from being refunded. */
export const isDisputed = ({ disputes }: OrderWithPayments, paymentId: string): boolean =>
  disputes?.some((one) => one.payment_id === paymentId && one.outcome === null && !isInquiry(one)) ?? false;

/** What the seller has to do about open disputes. */
export const disputeNotices = ({ disputes }: OrderWithPayments, formats: Formats): readonly Html[] =>
  (disputes ?? []).filter(({ outcome }) => outcome === null).map((dispute) => openNotice(dispute, formats));

function openNotice(dispute: DisputeResource, formats: Formats): Html {
  const { amount_cents, currency, reason, evidence_due_by: due } = dispute;
  const said = isInquiry(dispute) ? texts.inquiry : texts.open;
  const what = said(formats.amount(amount_cents, currency), words(reason));
  const until = due === null ? texts.answer : html`${texts.evidence} ${when(due, formats)}.`;
  return notice('warn', html`${what} ${until}${isInquiry(dispute) ? '' : ` ${texts.noRefund}`}`);
}

/** When a dispute was opened, and when it ended. */
export function disputeMoments(dispute: DisputeResource, formats: Formats): readonly Moment[] {
  const { opened_at, closed_at, amount_cents, currency, reason, status, outcome } = dispute;
  const amount = formats.amount(amount_cents, currency);
  const began = isInquiry(dispute) ? texts.inquired(amount) : texts.opened(amount);
  const detail = texts.reason(words(reason));
  const opened: Moment['entry'] = { at: when(opened_at, formats), title: began, detail };
  if (closed_at === null) return [{ at: opened_at, entry: { ...opened, badge: badges[status] } }];
  const ended = { at: when(closed_at, formats), title: texts.closed(amount), badge: badges[outcome ?? status] };
  return [
    { at: opened_at, entry: opened },
    { at: closed_at, entry: ended },
  ];
}
