import { hash, randomBytes } from 'node:crypto';
import { hourMs } from '@app/contracts/durations';
import { emailKey } from '@app/contracts/email-key';
import { newId } from '@app/contracts/ids';
import { statement } from '@app/service-kit/database';
import type { SealedBox } from '@app/service-kit/sealed-box';
import { isNotice, type LetterKind, letterPaths } from './letter-paths.ts';

const validMs: Readonly<Record<LetterKind, number>> = {
  verification: 48 * hourMs,
  password_reset: 48 * hourMs,
  portal_link: hourMs,
  email_change: 48 * hourMs,
  support_email: 48 * hourMs,
  email_change_notice: 48 * hourMs,
  login_notice: 48 * hourMs,
  password_notice: 48 * hourMs,
  change_notice: 48 * hourMs,
  withdrawal_received_notice: 48 * hourMs,
  withdrawal_declined_notice: 48 * hourMs,
  withdrawal_seller_notice: 48 * hourMs,
};

/** A letter as it is stored: with the token's hash, and the link sealed. */
export interface NewLetter {
  readonly id: string;
  readonly kind: LetterKind;
  /** The recipient, as it was typed. */
  readonly email: string;
  readonly tokenHash: Buffer;
  readonly sealed: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The address has had those of the day: it is stored as one for an unknown address, so that both take as long. */
  readonly isWithheld?: boolean;
}

/** 256 random bits: that space cannot be searched, so that the hash needs no pepper. */
export const hashLetterToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** @param baseUrl what the kind's path stands under, without a slash at its end */
export function newLetter(box: SealedBox, kind: LetterKind, email: string, baseUrl: string, now: Date): NewLetter {
  const token = randomBytes(32).toString('base64url');
  const id = newId('letter', now.getTime());
  const page = `${baseUrl}${letterPaths[kind]}`;
  return {
    id,
    kind,
    email,
    tokenHash: hashLetterToken(token),
    createdAt: now,
    sealed: box.seal(Buffer.from(isNotice(kind) ? page : `${page}/${token}`), id),
    expiresAt: new Date(now.getTime() + validMs[kind]),
  };
}

/** A link that resets a password and is printed in place of being sent: no letter has it. */
export function newPrintedLink(now: Date) {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(now.getTime() + validMs.password_reset);
  return { id: newId('letter', now.getTime()), token, tokenHash: hashLetterToken(token), expiresAt };
}

/** Takes its id, its user, the token's hash, when it was made and when it ends. */
export const insertPrintedStatement = statement(
  'letter-printed',
  `insert into letters (id, kind, user_id, token_hash, created_at, next_attempt_at, expires_at)
   values ($1, 'password_reset', $2, $3, $4, $4, $5)`,
);

/** The window of a day in which the deployment's letters of this kind count. */
export const letterWindow = (kind: LetterKind): string => `letters ${kind}`;

/** The window of a day in which letters of this kind to the address count: a buyer's links use up no password reset. */
export const recipientWindow = (kind: LetterKind, email: string): string =>
  `letters ${kind} to ${hash('sha256', emailKey(email), 'base64url')}`;

/** The window of a day in which all letters to the address count that accounts which are not verified cause. */
export const unverifiedWindow = (email: string): string =>
  `letters unverified to ${hash('sha256', emailKey(email), 'base64url')}`;

/** What a letter that is not sent gives back: else a stranger could keep an address from getting the letters that it needs. */
export const windowsGivenBack = (kind: LetterKind, email: string): string[] => [
  letterWindow(kind),
  recipientWindow(kind, email),
  ...(kind === 'password_reset' || kind === 'verification' ? [unverifiedWindow(email)] : []),
];

/** Locks windows in one order, so that statements that share several never deadlock. */
export const lockedWindows = (callers: string): string =>
  `select caller from rate_windows where caller = any(${callers}) order by caller for update`;

/**
 * Takes `letterValues`. Where no user has the address, or the letter is withheld, the row has no link and its uses of the windows are given back: it
 * takes as long, is never sent, and uses up no letter of the day.
 */
export const insertLetterStatement = statement(
  'letter-insert',
  `
  with recipient as (select u.id from (select 1) as one left join lateral (
    select id from users where email = $3 or email_key = $9 order by email = $3 desc limit 1) as u on not $10::boolean),
  counted as (
    update rate_windows as w set taken = w.taken - case when r.id is null then 1 else 0 end
    from recipient as r, (${lockedWindows('$8::text[]')}) as l where w.caller = l.caller)
  insert into letters (id, kind, user_id, token_hash, sealed, created_at, next_attempt_at, expires_at)
  select $1, $2, r.id, $4, case when r.id is null then null else $5::bytea end, $6, $6, $7 from recipient as r`,
);

export const letterValues = (letter: NewLetter): unknown[] => [
  ...[letter.id, letter.kind, letter.email.toLowerCase(), letter.tokenHash, letter.sealed, letter.createdAt],
  letter.expiresAt,
  windowsGivenBack(letter.kind, letter.email),
  emailKey(letter.email),
  letter.isWithheld ?? false,
];

/** Of a notice, which goes to the address that the user has at that moment, whatever becomes of it. Takes `noticeValues`. */
export const insertNoticeStatement = statement(
  'letter-notice',
  `insert into letters (id, kind, user_id, recipient, token_hash, sealed, created_at, next_attempt_at, expires_at, detail)
   values ($1, $2, $3, $4, $5, $6, $7, $10, $8, $9)`,
);

/**
 * @param detail what the notice says of a log-in, from where it was, or of a change
 * @param dueAt when it goes out, at once unless given
 */
export const noticeValues = (
  letter: NewLetter,
  userId: string,
  detail: string | null = null,
  dueAt = letter.createdAt,
): unknown[] => [
  ...[
    letter.id,
    letter.kind,
    userId,
    letter.email,
    letter.tokenHash,
    letter.sealed,
    letter.createdAt,
    letter.expiresAt,
  ],
  detail,
  dueAt,
];
