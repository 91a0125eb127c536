import { type NoticePage, noticePage } from '../checkout/notice-pages.ts';
import { button, linkButton } from '../components/button.ts';
import { checkbox } from '../components/choice.ts';
import { field } from '../components/field.ts';
import { html } from '../html.ts';

/** What the pages say that letters lead to. */
const texts = {
  verify: 'Verify your email address',
  verifyText: 'Your account sends no emails until the address is verified.',
  verifyButton: 'Verify the address',
  verified: 'Your email address is verified',
  verifiedText: 'From now on your account’s emails reach your buyers.',
  confirm: 'Confirm your new email address',
  confirmText: 'From then on you log in with this address, and no longer with the one before.',
  confirmButton: 'Confirm the address',
  confirmed: 'Your email address is changed',
  confirmedText: 'Log in with it from now on.',
  taken: 'This address cannot be used',
  takenText: 'Another account has it. Request the change again with another address.',
  newPassword: 'Choose a new password',
  password: 'New password',
  passwordHint: 'At least 10 characters.',
  revokeKeys: 'Revoke all API keys',
  revokeKeysHint: 'For when others may know them. Programs that use them stop working.',
  setPassword: 'Set the password',
  passwordChosen: 'Your password is changed',
  passwordChosenText: 'Log in with the new password. All earlier sessions have ended.',
  letterOver: 'It was used already, or is older than 48 hours, or is not complete. Request another email.',
  linkOver: 'This link has no effect',
  goOn: 'Go to your dashboard',
  logIn: 'Log in',
} as const;

/** One button: mail scanners open links, and none of them may redeem one. */
export function verifyPage(): NoticePage {
  const verify = button({ label: texts.verifyButton, kind: 'accent', isWide: true });
  return noticePage(texts.verify, [texts.verifyText], html`<form method="post">${verify}</form>`);
}

export const verifiedPage = (): NoticePage =>
  noticePage(texts.verified, [html`<span role="status">${texts.verifiedText}</span>`], goOn);

/** Sellers who are logged in go on; others log in. */
const goOn = html`<p>${linkButton({ label: texts.goOn, href: '/app' })}</p>`;

/** One button, as for the first address. */
export function confirmEmailPage(): NoticePage {
  const confirm = button({ label: texts.confirmButton, kind: 'accent', isWide: true });
  return noticePage(texts.confirm, [texts.confirmText], html`<form method="post">${confirm}</form>`);
}

export const emailChangedPage = (): NoticePage =>
  noticePage(texts.confirmed, [html`<span role="status">${texts.confirmedText}</span>`], goOn);

export const emailTakenPage = (): NoticePage => noticePage(texts.taken, [texts.takenText], goOn);

/** @param error why the last password was refused; without one nothing was */
export function newPasswordPage(error?: string): NoticePage {
  const password = field({
    name: 'password',
    label: texts.password,
    hint: texts.passwordHint,
    type: 'password',
    value: '',
    error,
    autocomplete: 'new-password',
    isRequired: true,
    minLength: 10,
    maxLength: 200,
    isAutofocus: error !== undefined,
  });
  const revoke = checkbox({
    name: 'revokeKeys',
    label: texts.revokeKeys,
    hint: texts.revokeKeysHint,
    isChecked: false,
  });
  const set = button({ label: texts.setPassword, kind: 'accent', isWide: true });
  return noticePage(texts.newPassword, [], html`<form class="stack" method="post">${password}${revoke}${set}</form>`);
}

export const passwordChosenPage = (): NoticePage =>
  noticePage(
    texts.passwordChosen,
    [html`<span role="status">${texts.passwordChosenText}</span>`],
    html`<p>${linkButton({ label: texts.logIn, href: '/login' })}</p>`,
  );

/** A link of a letter that has no effect any more. */
export const letterOverPage = (): NoticePage => noticePage(texts.linkOver, [texts.letterOver]);
