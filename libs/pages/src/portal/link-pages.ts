import { button } from '../components/button.ts';
import { field } from '../components/field.ts';
import { notice } from '../components/notice.ts';
import { type Html, html } from '../html.ts';
import type { PortalOf } from './model.ts';
import { closed, form } from './parts.ts';

const texts = {
  title: 'Your purchases',
  text: 'Enter the email address that you bought with. You get a link to your receipts and subscriptions.',
  email: 'Email',
  send: 'Email me a link',
  sending: 'Sending…',
  sentTitle: 'Check your email',
  sent: (shop: string) => `has bought from ${shop}, a link is on its way. It works once, within 60 minutes.`,
  ifThis: 'If',
  thisAddress: 'this address',
  late: 'Nothing there after a few minutes? Check the spam, or try',
  other: 'another address',
  openText: (shop: string) =>
    `Receipts and subscriptions from ${shop}. The link opens them in this browser for a day at most.`,
  open: 'Open my purchases',
  opening: 'Opening…',
} as const;

/** Why the form is shown again. */
export const linkNotices = {
  old: 'That link was used already, or is too old. Send yourself a new one.',
  ended: 'You were signed out, because the link was opened long ago. Send yourself a new one.',
  unknown: 'That link is not complete. Use the one of the latest email as it stands there, or send yourself a new one.',
  signed_out: 'You are signed out.',
  needed: 'This page opens by a link that is sent to your email.',
} as const;

/** What is wrong with the address that was typed. */
export const emailError = 'Enter an email address, like ada@example.com.';

export interface LinkContent {
  readonly email: string;
  readonly error?: string | undefined;
  readonly notice: string | null;
}

/** The way in: a link by email. An old link leads here too, with its address filled in. */
export function linkPage(page: PortalOf<LinkContent>): Html {
  const { email, error, notice: said } = page.content;
  return closed(
    page,
    html`<div class="stack tight"><h1>${texts.title}</h1><p>${texts.text}</p></div>
${said !== null && notice('info', said)}
${form(
  page,
  page.path,
  html`${field({
    name: 'email',
    label: texts.email,
    type: 'email',
    value: email,
    error,
    autocomplete: 'email',
    maxLength: 254,
    isRequired: true,
    isAutofocus: error !== undefined,
  })}${button({ label: texts.send, busyLabel: texts.sending, name: 'do', value: 'link', kind: 'accent', isWide: true, isTall: true })}`,
)}`,
  );
}

/** The same whether or not the address has bought: the page gives nothing away. */
export function sentPage(page: PortalOf<{ readonly email: string }>): Html {
  const { email } = page.content;
  const address = email === '' ? texts.thisAddress : html`<b class="strong"><bdi>${email}</bdi></b>`;
  return closed(
    page,
    html`<div class="stack tight" role="status"><h1>${texts.sentTitle}</h1><p>${texts.ifThis} ${address} ${texts.sent(page.shop.name)}</p></div>
<p class="quiet small">${texts.late} <a href="${page.path}">${texts.other}</a>.</p>`,
  );
}

/** One button: mail scanners open links, and none of them may use one up. The token stays in the address alone. */
export function openPage(page: PortalOf<null>): Html {
  return closed(
    page,
    html`<div class="stack tight"><h1>${texts.title}</h1><p>${texts.openText(page.shop.name)}</p></div>
${form(
  page,
  null,
  button({ label: texts.open, busyLabel: texts.opening, kind: 'accent', isWide: true, isTall: true }),
)}`,
  );
}
