import { escapeHtml, plainLine } from '@app/contracts/plain-text';
import { letterHtml, type Sender, type Shop, shopFoot } from '@app/email/letter';
import type { LetterKind, WithdrawalLetterKind } from './letter-paths.ts';
import { isOfWithdrawal, withdrawalWords } from './withdrawal-words.rules.ts';

interface LetterText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What a letter says beside its link. */
export interface LetterFacts {
  /** The buyer's seller; null in a letter to a user. */
  readonly shop: Shop | null;
  /** When it was written. */
  readonly at: Date;
  /** From where a log-in was; what was changed, and from where. */
  readonly detail: string | null;
}

interface Words {
  readonly subject: string;
  readonly why: string;
  /** What others said, between `why` and `what`. */
  readonly quoted?: readonly string[];
  readonly what: string;
  readonly button: string;
  readonly ending: string;
}

const toUser = 'The link works once, for 48 hours. If this was not you, do nothing.';

const notYou = 'If this was not you, choose a new password on this page at once';

/** To the minute, in UTC: the reader's zone is unknown. */
const timeOf = (at: Date): string => {
  const [day = '', time = ''] = at.toISOString().split('T');
  return `on ${day} at ${time.slice(0, 5)} UTC`;
};

/** What the words are made of; `seller` is empty in a letter to a user. */
type Said = Omit<LetterFacts, 'shop'> & { readonly seller: string };

const words: Readonly<Record<Exclude<LetterKind, WithdrawalLetterKind>, (facts: Said) => Words>> = {
  verification: () => ({
    subject: 'Verify your email address',
    why: 'An account was made with this address.',
    what: 'If it is yours, verify the address on this page:',
    button: 'Verify the address',
    ending: 'The link works once, for 48 hours. If you did not make the account, the page says what you can do.',
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
  support_email: () => ({
    subject: 'Confirm an address for support',
    why: 'An account gave this address as the one that its buyers write to.',
    what: 'If you want to get what they write, and what the account is notified of, confirm it on this page:',
    button: 'Confirm the address',
    ending: toUser,
  }),
  email_change_notice: ({ at }) => ({
    subject: 'Your account is getting another email address',
    why: `Another email address was given for your account ${timeOf(at)}. Once it is confirmed there, this one no longer logs in.`,
    what: `${notYou}, which stops the change:`,
    button: 'Choose a password',
    ending: 'If this was you, do nothing here.',
  }),
  login_notice: ({ at, detail }) => ({
    subject: 'A new log-in to your account',
    why: `Someone logged in to your account ${timeOf(at)}, for the first time from there: ${detail}.`,
    what: `${notYou}, which ends every session:`,
    button: 'Choose a password',
    ending: 'If this was you, do nothing here.',
  }),
  password_notice: ({ at }) => ({
    subject: 'Your password was changed',
    why: `The password of your account was changed ${timeOf(at)}. It ended the other sessions.`,
    what: `${notYou}:`,
    button: 'Choose a password',
    ending: 'If this was you, do nothing here.',
  }),
  change_notice: ({ at, detail }) => ({
    subject: 'A change to your account',
    why: `O${timeOf(at).slice(1)} ${detail}.`,
    what: `${notYou}, which ends every session, and revoke all API keys there:`,
    button: 'Choose a password',
    ending: 'If this was you, do nothing here.',
  }),
  portal_link: ({ seller }) => ({
    subject: `Your purchases from ${seller}`,
    why: `A link to your purchases from ${seller} was requested.`,
    what: 'If you requested it, open your purchases on this page:',
    button: 'Open your purchases',
    ending: 'The link works once, for 60 minutes. If this was not you, do nothing.',
  }),
};

const wordsOf = (kind: LetterKind, facts: Said): Words =>
  isOfWithdrawal(kind) ? withdrawalWords(kind, facts.detail) : words[kind](facts);

/**
 * The words of a letter. Nothing in it comes from the caller, because anyone can have one sent to any address: what a notice says of a
 * browser are names that we know (`browserName`). Only the letters of withdrawals quote what was typed, which the law wants.
 */
export function letterText(kind: LetterKind, link: string, facts: LetterFacts): LetterText {
  const { shop } = facts;
  const { subject, why, quoted, what, button, ending } = wordsOf(kind, {
    ...facts,
    seller: plainLine(shop?.name ?? ''),
  });
  const title = subject;
  const parts = [
    ...(quoted === undefined ? [`${why} ${what}`] : [why, ...quoted.map(plainLine), what]).map((line) => ({
      html: escapeHtml(line),
    })),
    { button: { label: button, url: link } },
    { html: escapeHtml(ending) },
  ];
  const foot = shop === null ? ['Funnelry'] : shopFoot(shop);
  return {
    subject,
    text: [
      'Hello,',
      '',
      why,
      ...(quoted === undefined ? [] : ['', ...quoted.map(plainLine), '']),
      what,
      '',
      link,
      '',
      ending,
      '',
    ].join('\n'),
    html: letterHtml({ sender: shop ?? platform, title, parts, foot }, why),
  };
}

const platform: Sender = { name: 'Funnelry', logoUrl: null, accentColor: null };
