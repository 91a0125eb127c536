import { mailTo } from '../checkout/parts.ts';
import { button, linkLike } from '../components/button.ts';
import { facts } from '../components/card.ts';
import { field } from '../components/field.ts';
import { type Html, html } from '../html.ts';
import type { PortalOf } from './model.ts';
import { closed, form } from './parts.ts';

const texts = {
  title: 'Withdraw from a contract',
  text: (shop: string) =>
    `If you are a consumer, you can withdraw from what you bought from ${shop} without a reason. You need no log-in. You see the words before you send them.`,
  days: (days: number) =>
    `You usually have ${days} days from the day after the purchase. A later withdrawal is received too, and the shop decides about it.`,
  name: 'Your name',
  bought: 'Order number, or what you bought',
  boughtHint: 'The number is on your receipt.',
  email: 'Email address for the acknowledgement',
  emailHint: 'With the address that you bought with, the shop finds your order sooner.',
  next: 'Continue',
  sending: 'Sending…',
  confirmTitle: 'Confirm withdrawal',
  confirmText: (shop: string) => `This is what ${shop} gets from you. Nothing is sent before you confirm it.`,
  confirm: 'Confirm withdrawal',
  change: 'Change it',
  statement: 'Statement',
  answerTo: 'Email goes to',
  receivedTitle: 'Your withdrawal was received',
  received: 'Received',
  receivedText: (shop: string) =>
    `This acknowledges that it was received. It does not say that it is accepted: ${shop} decides about it, and answers you by email. Keep this page, or the email with the same words.`,
  print: 'Print',
  offTitle: 'This shop takes no withdrawals here',
  off: (shop: string) => `To end a contract with ${shop}, or to ask for your money back, write to`,
} as const;

/** What is wrong with a field, by its name. */
export const withdrawErrors: Readonly<Record<string, string>> = {
  name: 'Enter your name, in at most 200 characters.',
  bought: 'Enter the order number or what you bought, in at most 200 characters.',
  email: 'Enter an email address, like ada@example.com.',
};

export interface WithdrawValues {
  readonly name: string;
  readonly bought: string;
  readonly email: string;
}

export interface WithdrawContent {
  readonly values: WithdrawValues;
  /** By field: a sentence. */
  readonly errors: Readonly<Record<string, string>>;
}

/** What the directive lets a shop ask for, and nothing else. */
export function withdrawPage(page: PortalOf<WithdrawContent>): Html {
  const { values, errors } = page.content;
  const { name, withdrawalDays } = page.shop;
  return closed(
    page,
    html`<div class="stack tight"><h1>${texts.title}</h1><p>${texts.text(name)}</p><p class="quiet small">${texts.days(withdrawalDays)}</p></div>
${form(
  page,
  withdrawPathOf(page.path),
  html`${field({
    name: 'name',
    label: texts.name,
    value: values.name,
    error: errors.name,
    autocomplete: 'name',
    maxLength: 200,
    isRequired: true,
  })}${field({
    name: 'bought',
    label: texts.bought,
    hint: texts.boughtHint,
    value: values.bought,
    error: errors.bought,
    maxLength: 200,
    isRequired: true,
  })}${field({
    name: 'email',
    label: texts.email,
    hint: texts.emailHint,
    type: 'email',
    value: values.email,
    error: errors.email,
    autocomplete: 'email',
    maxLength: 254,
    isRequired: true,
  })}${button({ label: texts.next, busyLabel: texts.sending, name: 'do', value: 'request', kind: 'accent', isWide: true, isTall: true })}`,
)}`,
  );
}

export const withdrawPathOf = (path: string): string => `${path}/withdraw`;

interface Declared extends WithdrawValues {
  readonly statement: string;
}

/** The words, and the button that declares them. */
export function confirmWithdrawalPage(page: PortalOf<Declared>): Html {
  const { statement, email, name, bought } = page.content;
  const typed = Object.entries({ name, bought, email });
  return closed(
    page,
    html`<div class="stack tight"><h1>${texts.confirmTitle}</h1><p>${texts.confirmText(page.shop.name)}</p></div>
${statementFacts(statement, email)}
${form(
  page,
  withdrawPathOf(page.path),
  html`${typed.map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}${button({
    label: texts.confirm,
    busyLabel: texts.sending,
    name: 'do',
    value: 'confirm',
    kind: 'accent',
    isWide: true,
    isTall: true,
  })}<p class="small">${linkLike({ label: texts.change, name: 'do', value: 'change' })}</p>`,
)}`,
  );
}

const statementFacts = (statement: string, email: string, more: readonly (readonly [string, Html])[] = []): Html =>
  html`<section class="card" aria-label="${texts.statement}"><p><bdi>${statement}</bdi></p>${facts([[texts.answerTo, html`<bdi>${email}</bdi>`], ...more])}</section>`;

interface Acknowledged extends Declared {
  readonly receivedAt: string;
}

/** What was received, and when. It promises nothing more. */
export function withdrawnPage(page: PortalOf<Acknowledged>): Html {
  const { statement, email, receivedAt } = page.content;
  const at = html`<time datetime="${receivedAt}">${page.formats.moment(receivedAt)}</time>`;
  return closed(
    page,
    html`<div class="stack tight" role="status"><h1>${texts.receivedTitle}</h1><p>${texts.receivedText(page.shop.name)}</p></div>
${statementFacts(statement, email, [[texts.received, at]])}
<p class="small print"><button type="button" class="link" data-print hidden>${texts.print}</button></p>`,
  );
}

/** Of a seller whom the law of the EU does not bind. */
export const noWithdrawalsPage = (page: PortalOf<null>): Html =>
  closed(
    page,
    html`<div class="stack tight"><h1>${texts.offTitle}</h1><p>${texts.off(page.shop.name)} ${mailTo(page.shop)}.</p></div>`,
  );
