import type { LetterKind } from './letter-paths.ts';

interface LetterText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const words: Readonly<Record<LetterKind, { subject: string; why: string; what: string; button: string }>> = {
  verification: {
    subject: 'Verify your email address',
    why: 'An account was made with this address.',
    what: 'If it is yours, verify the address on this page:',
    button: 'Verify the address',
  },
  password_reset: {
    subject: 'Choose a new password',
    why: 'A new password was requested for the account with this address.',
    what: 'If you requested it, choose one on this page:',
    button: 'Choose a password',
  },
};

const ending = 'The link works once, for 48 hours. If this was not you, do nothing.';

/** The words of a letter. Nothing in it comes from the caller: anyone can have one sent to any address. */
export function letterText(kind: LetterKind, link: string): LetterText {
  const { subject, why, what, button } = words[kind];
  return {
    subject,
    text: ['Hello,', '', why, what, '', link, '', ending, ''].join('\n'),
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body>
<p>Hello,</p>
<p>${why} ${what}</p>
<p><a href="${link}">${button}</a></p>
<p>${ending}</p>
</body>
</html>
`,
  };
}
