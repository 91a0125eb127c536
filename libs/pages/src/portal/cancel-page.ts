import type { PortalSubscriptionWithHistory } from '@app/contracts/portal';
import { button } from '../components/button.ts';
import { choices } from '../components/choice.ts';
import { notice } from '../components/notice.ts';
import { type Html, html } from '../html.ts';
import type { OpenedOf } from './model.ts';
import { form, opened, subscriptionPath, wayBack } from './parts.ts';

const texts = {
  title: 'Cancel the subscription',
  when: 'When should it end?',
  atEnd: (date: string) => `On ${date}`,
  atEndMeans:
    'It stays as it is until then, because it is paid. Nothing more is charged, and until that day you can change your mind.',
  now: 'Now',
  nowMeans:
    'It ends at once, and what it gives you ends with it. Nothing more is charged, and what was paid is not refunded by this.',
  nowPastDue: (amount: string) =>
    `It ends at once, and what it gives you ends with it. Nothing more is charged: the ${amount} that is past due is not, either.`,
  cancel: 'Cancel the subscription',
  canceling: 'Canceling…',
} as const;

export const cancelNotices = {
  failed: 'That did not work, and the subscription was not canceled. Try again.',
} as const;

export interface CancelContent {
  readonly subscription: PortalSubscriptionWithHistory;
  readonly notice: string | null;
}

/** What is ended already, or will be, is not canceled once more. */
export const mayBeCanceled = (of: PortalSubscriptionWithHistory): boolean => of.may_cancel && of.cancel_at === null;

/** One page, one button: what stays until when, in plain words. */
export function cancelPage(page: OpenedOf<CancelContent>): Html {
  const { content, path, formats } = page;
  const { subscription: of, notice: said } = content;
  const here = subscriptionPath(path, of.id);
  return opened(
    page,
    html`<div class="stack tight">${wayBack(here, html`<bdi>${of.product_name}</bdi>`)}<h1>${texts.title}</h1></div>
${said !== null && notice('bad', said)}
${form(
  page,
  `${here}/cancel`,
  html`${mayEndLater(page) ? when(formats.date(of.current_period_end)) : atOnce(page)}${button({
    label: texts.cancel,
    busyLabel: texts.canceling,
    kind: 'danger',
    isWide: true,
    isTall: true,
  })}`,
)}`,
    { isTest: of.test, isNarrow: true },
  );
}

/** A period that is paid can be used to its end. What is paused, or past due, ends at once whenever its end is wanted. */
const mayEndLater = ({ content: { subscription: of }, now }: OpenedOf<CancelContent>): boolean =>
  of.status === 'active' && of.current_period_end > now;

const when = (date: string): Html =>
  choices({
    legend: texts.when,
    name: 'at',
    kind: 'radio',
    choices: [
      { value: 'period_end', label: texts.atEnd(date), hint: texts.atEndMeans, isChosen: true },
      { value: 'now', label: texts.now, hint: texts.nowMeans, isChosen: false },
    ],
  });

function atOnce({ content: { subscription: of }, formats }: OpenedOf<CancelContent>): Html {
  const isPastDue = of.status === 'past_due';
  const text = isPastDue ? texts.nowPastDue(formats.amount(of.amount_cents, of.currency)) : texts.nowMeans;
  return html`<input type="hidden" name="at" value="now"><p>${text}</p>`;
}
