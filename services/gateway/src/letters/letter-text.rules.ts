import { escapeHtml, plainLine } from '@app/contracts/plain-text';
import type { LetterKind } from './letter-paths.ts';

interface LetterText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface Words {
  readonly subject: string;
  readonly why: string;
  readonly what: string;
  readonly button: string;
  readonly ending: string;
}

const toUser = 'The link works once, for 48 hours. If this was not you, do nothing.';

const words: Readonly<Record<LetterKind, (seller: string) => Words>> = {
  verification: () => ({
    subject: 'Verify your email address',
    why: 'An account was made with this address.',
    what: 'If it is yours, verify the address on this page:',
    button: 'Verify the address',
    ending: toUser,
  }),
  password_reset: () => ({
    subject: 'Choose a new password',
    why: 'A new password was requested for the account with this address.',
    what: 'If you requested it, choose one on this page:',
    button: 'Choose a password',
    ending: toUser,
  }),
  email_change: () => ({
    subject: 'Confirm your new email address',
    why: 'This address was given as the new one of an account.',
    what: 'If the account is yours, confirm the address on this page:',
    button: 'Confirm the address',
    ending: toUser,
  }),
  email_change_notice: () => ({
    subject: 'Your account is getting another email address',
    why: 'Another email address was given for the account with this one. Once it is confirmed there, this one no longer logs in.',
    what: 'If this was not you, choose a new password on this page at once, which stops the change:',
    button: 'Choose a password',
    ending: 'If this was you, do nothing here.',
  }),
  portal_link: (seller) => ({
    subject: `Your purchases from ${seller}`,
    why: `A link to your purchases from ${seller} was requested.`,
    what: 'If you requested it, open your purchases on this page:',
    button: 'Open your purchases',
    ending: 'The link works once, for 60 minutes. If this was not you, do nothing.',
  }),
};

/**
 * The words of a letter. Nothing in it comes from the caller: anyone can have one sent to any address.
 * @param seller the name of the buyer's seller; empty in a letter to a user
 */
export function letterText(kind: LetterKind, link: string, seller: string): LetterText {
  const { subject, why, what, button, ending } = words[kind](plainLine(seller));
  return {
    subject,
    text: ['Hello,', '', why, what, '', link, '', ending, ''].join('\n'),
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body>
<p>Hello,</p>
<p>${escapeHtml(why)} ${what}</p>
<p><a href="${link}">${button}</a></p>
<p>${ending}</p>
</body>
</html>
`,
  };
}
