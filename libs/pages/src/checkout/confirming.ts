import { button, linkButton } from '../components/button.ts';
import { notice } from '../components/notice.ts';
import { type Html, html } from '../html.ts';

const texts = {
  confirm: 'Confirm at your bank',
  confirmed: 'I have confirmed',
  checking: 'Checking…',
  confirming: 'Waiting for your bank…',
  failed: 'Your bank cannot be reached from here. Nothing was charged. Check your connection, and try again.',
  notNow: 'The confirmation cannot be shown at the moment. Nothing was charged. Try again in a minute.',
  again: 'Try again',
  noScript: 'This confirmation needs JavaScript. Switch it on in this browser, and load the page again.',
} as const;

/** How a buyer confirms at the bank: at an address, or by Stripe's script. Null where it is not known at the moment. */
export type Confirming =
  | { readonly url: string }
  | { readonly clientSecret: string; readonly publishableKey: string }
  | null;

export const confirmingOf = (
  url: string | null | undefined,
  clientSecret: string | undefined,
  publishableKey: string | null,
): Confirming => {
  if (url != null) return { url };
  return clientSecret === undefined || publishableKey === null ? null : { clientSecret, publishableKey };
};

/** A page with a client secret is kept nowhere. */
export const isSecretWay = (way: Confirming): boolean => way !== null && 'clientSecret' in way;

/** A link leads to the bank: a form's redirect to another site is stopped by the content-security-policy. */
export const bankLink = (way: Confirming): Html =>
  html`${way !== null && 'url' in way && linkButton({ label: texts.confirm, href: way.url, kind: 'accent', isWide: true, isTall: true })}`;

/** Stands in the form that requests the outcome; `browser/stripe-card.js` runs the script before the form is sent. */
export function confirmButton(way: Confirming): Html {
  const requests = { name: 'do', value: 'continue', isWide: true } as const;
  if (way === null)
    return html`${notice('info', texts.notNow)}${button({ ...requests, label: texts.again, busyLabel: texts.checking })}`;
  if ('url' in way) return button({ ...requests, label: texts.confirmed, busyLabel: texts.checking });
  const { clientSecret, publishableKey } = way;
  return html`<noscript>${notice('info', texts.noScript)}</noscript><div class="field" id="bank" data-client-secret="${clientSecret}" data-key="${publishableKey}" data-failed="${texts.failed}">${button(
    { ...requests, label: texts.confirm, busyLabel: texts.confirming, kind: 'accent', isTall: true },
  )}</div>`;
}
