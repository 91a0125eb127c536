import type { CallResult, Operations } from '../call.ts';
import { type NoticePage, noticePage } from '../checkout/notice-pages.ts';
import { button, linkButton } from '../components/button.ts';
import { facts } from '../components/card.ts';
import { checkbox } from '../components/choice.ts';
import { field } from '../components/field.ts';
import type { Formats } from '../formats.ts';
import { type Html, html } from '../html.ts';

/** What the pages say that letters lead to. */
const texts = {
  verify: 'Verify your email address',
  verifyText: (email: string) => `An account was made with ${email}. It sends no emails until the address is verified.`,
  verifyButton: 'Verify the address',
  name: 'Business name',
  made: 'Made on',
  keys: 'API keys',
  webhooks: 'Webhook addresses',
  automations: 'Automations',
  processor: 'Payment processor',
  none: 'None',
  unknown: 'Cannot be read right now',
  processors: { simulated: 'Simulated, for trying out', stripe: 'Stripe', none: 'None' },
  accountPassword: 'Password of the account',
  accountPasswordHint: 'The one that you log in with.',
  wrongPassword: 'This is not the password of the account.',
  needsPassword: 'Enter the password of the account.',
  notMine: 'I did not make this account',
  take: 'An account that you did not make',
  takeText: (email: string) =>
    `Somebody made it with your address, ${email}. Choose a password, and the account is yours: its API keys, webhook addresses, automations, payment processor and second factors are removed, and whoever made it is logged out.`,
  leaveText:
    'Or close this page: an account whose address is not verified sends your buyers nothing, and its link ends after 48 hours.',
  verified: 'Your email address is verified',
  verifiedText: 'From now on your account’s emails reach your buyers.',
  confirm: 'Confirm your new email address',
  confirmText: (email: string) => `From then on you log in with ${email}, and no longer with the address before.`,
  confirmNot: 'If you did not request this, close this page: nothing changes then.',
  confirmButton: 'Confirm the address',
  confirmed: 'Your email address is changed',
  confirmedText: 'Log in with it from now on.',
  support: 'Answer buyers at this address?',
  supportText: (name: string, email: string) =>
    `${name} gave ${email} as the address that its buyers write to. What they write comes there, and so does what ${name} is notified of.`,
  supportNot: 'If you do not want that, close this page: nothing is sent there then.',
  supportButton: 'Confirm the address',
  supportConfirmed: 'The address is confirmed',
  supportConfirmedText: 'From now on buyers write to it.',
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

export type Letter = Extract<CallResult<Operations['readLetter']>, { readonly ok: true }>['body'];

interface LetterState {
  readonly letter: Letter;
  readonly formats: Formats;
  /** The path of the page. */
  readonly path: string;
  /** Why the last password was refused. */
  readonly error?: string | undefined;
}

export const letterErrors = { wrong: texts.wrongPassword, needed: texts.needsPassword } as const;

/**
 * Says plainly what account it is, and verifies by a button: mail scanners open links, and none of them may redeem one. Whoever reads
 * the mailbox may not have made the account: they lack its password.
 */
export function verifyPage({ letter, formats, path, error }: LetterState): NoticePage {
  const verify = button({ label: texts.verifyButton, kind: 'accent', isWide: true });
  const password = letter.password_due && passwordField(error);
  const form = html`<form class="stack" method="post" action="${path}" novalidate>${password}${verify}</form>`;
  const notMine = letter.password_due && html`<p><a href="${path}/not-mine">${texts.notMine}</a></p>`;
  return noticePage(
    texts.verify,
    [texts.verifyText(letter.email)],
    html`${accountFacts(letter, formats)}${form}${notMine}`,
  );
}

/** A password manager may fill in the one of the log-in. */
const passwordField = (error: string | undefined): Html =>
  field({
    name: 'password',
    label: texts.accountPassword,
    hint: texts.accountPasswordHint,
    type: 'password',
    value: '',
    error,
    autocomplete: 'current-password',
    isRequired: true,
    maxLength: 200,
    isAutofocus: error !== undefined,
  });

function accountFacts({ account, set_up: setUp }: Letter, formats: Formats): Html {
  const { name, created_at: createdAt } = account;
  const known: (readonly [string, string | Html])[] = [
    [texts.name, html`<bdi>${name}</bdi>`],
    [texts.made, formats.date(createdAt)],
  ];
  if (setUp === null) return facts(known);
  const counted = (count: number | null): string =>
    count === null ? texts.unknown : count === 0 ? texts.none : formats.count(count);
  const hosts = setUp.webhook_hosts;
  const { payment_processor: processor } = setUp;
  return facts([
    ...known,
    [texts.keys, counted(setUp.api_keys)],
    [
      texts.webhooks,
      hosts === null || hosts.length === 0 ? counted(hosts?.length ?? null) : html`<bdi>${hosts.join(', ')}</bdi>`,
    ],
    [texts.automations, counted(setUp.automations)],
    [texts.processor, processor === null ? texts.unknown : texts.processors[processor]],
  ]);
}

/** For the reader of a mailbox with whose address somebody else has signed up. @param error why the last password was refused */
export function notMinePage(email: string, error?: string): NoticePage {
  const set = button({ label: texts.setPassword, kind: 'accent', isWide: true });
  return noticePage(
    texts.take,
    [texts.takeText(email), texts.leaveText],
    html`<form class="stack" method="post">${newPasswordField(error)}${set}</form>`,
  );
}

export const verifiedPage = (): NoticePage =>
  noticePage(texts.verified, [html`<span role="status">${texts.verifiedText}</span>`], goOn);

/** Sellers who are logged in go on; others log in. */
const goOn = html`<p>${linkButton({ label: texts.goOn, href: '/app' })}</p>`;

/** As for the first address. */
export function confirmEmailPage({ letter, formats, path, error }: LetterState): NoticePage {
  const confirm = button({ label: texts.confirmButton, kind: 'accent', isWide: true });
  const password = letter.password_due && passwordField(error);
  const form = html`<form class="stack" method="post" action="${path}" novalidate>${password}${confirm}</form>`;
  return noticePage(
    texts.confirm,
    [texts.confirmText(letter.email), texts.confirmNot],
    html`${accountFacts(letter, formats)}${form}`,
  );
}

/** For the reader of a mailbox that an account answers its buyers at, who may be anybody. */
export function confirmSupportPage({ letter, formats, path }: LetterState): NoticePage {
  const confirm = button({ label: texts.supportButton, kind: 'accent', isWide: true });
  return noticePage(
    texts.support,
    [texts.supportText(letter.account.name, letter.email), texts.supportNot],
    html`${accountFacts(letter, formats)}<form class="stack" method="post" action="${path}">${confirm}</form>`,
  );
}

export const supportConfirmedPage = (): NoticePage =>
  noticePage(texts.supportConfirmed, [html`<span role="status">${texts.supportConfirmedText}</span>`]);

export const emailChangedPage = (): NoticePage =>
  noticePage(texts.confirmed, [html`<span role="status">${texts.confirmedText}</span>`], goOn);

export const emailTakenPage = (): NoticePage => noticePage(texts.taken, [texts.takenText], goOn);

/** @param error why the last password was refused; without one nothing was */
export function newPasswordPage(error?: string): NoticePage {
  const password = newPasswordField(error);
  const revoke = checkbox({
    name: 'revokeKeys',
    label: texts.revokeKeys,
    hint: texts.revokeKeysHint,
    isChecked: false,
  });
  const set = button({ label: texts.setPassword, kind: 'accent', isWide: true });
  return noticePage(texts.newPassword, [], html`<form class="stack" method="post">${password}${revoke}${set}</form>`);
}

const newPasswordField = (error: string | undefined): Html =>
  field({
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

export const passwordChosenPage = (): NoticePage =>
  noticePage(
    texts.passwordChosen,
    [html`<span role="status">${texts.passwordChosenText}</span>`],
    html`<p>${linkButton({ label: texts.logIn, href: '/login' })}</p>`,
  );

/** A link of a letter that has no effect any more. */
export const letterOverPage = (): NoticePage => noticePage(texts.linkOver, [texts.letterOver]);
