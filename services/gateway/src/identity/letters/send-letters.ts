import { hourMs, minuteMs } from '@app/contracts/durations';
import type { Submission } from '@app/email/email-transport';
import type { Mailer } from '@app/email/mailer';
import type { Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { SealedBox } from '@app/service-kit/sealed-box';
import { letterAttempted } from '../../points/points.ts';
import type { LetterKind } from './letter-paths.ts';
import { type Addressing, type LetterSeller, recipientOf, shopOfLetter } from './letter-recipient.ts';
import { letterText } from './letter-text.rules.ts';
import { lockedWindows, windowsGivenBack } from './new-letter.ts';

export interface SendDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly requester: Requester;
  readonly mailer: Mailer;
  readonly box: SealedBox;
  /** Where answers go: the sender's own address. */
  readonly replyTo: string;
}

const atOnce = 8;
/** After so many a letter is given up: the waits between them are a day and a half together. */
const attemptsMax = 12;
const longestWaitMs = 4 * hourMs;

/** The next attempt stands in the row before this one begins: a process that dies leaves a letter that goes out then. */
const claimStatement = statement<Claimed>(
  'letters-claim',
  `update letters as l set attempts = l.attempts + 1, next_attempt_at = $1::timestamptz + interval '3 minutes'
   from (
     select d.id, coalesce(d.recipient, u.email) as email, a.id as account_id, a.business_name, a.support_email, a.test_mode,
       a.email_verified, a.email as sellers_own, a.handle, a.logo_name, a.accent_color, a.terms_url, a.refund_policy_url,
       a.withdrawal_days
     from (
       select id, user_id, account_id, recipient from letters where sealed is not null and next_attempt_at <= $1
       order by next_attempt_at limit ${atOnce} for update skip locked) as d
     left join users as u on u.id = d.user_id left join accounts as a on a.id = d.account_id
   ) as due
   where l.id = due.id
   returning l.id, l.kind, l.sealed, l.attempts, l.created_at, l.expires_at, l.detail, due.email, due.account_id, due.business_name,
     due.support_email, due.test_mode, due.email_verified, due.sellers_own, due.handle, due.logo_name, due.accent_color, due.terms_url,
     due.refund_policy_url, due.withdrawal_days`,
  {
    id: 'text',
    kind: 'text',
    sealed: 'bytea',
    attempts: 'int4',
    created_at: 'timestamptz',
    detail: 'text',
    expires_at: 'timestamptz',
    email: 'text',
    account_id: 'text',
    business_name: 'text',
    support_email: 'text',
    test_mode: 'bool',
    email_verified: 'bool',
    sellers_own: 'text',
    handle: 'text',
    logo_name: 'text',
    accent_color: 'text',
    terms_url: 'text',
    refund_policy_url: 'text',
    withdrawal_days: 'int4',
  },
);
const endStatement = statement('letters-end', 'update letters set sealed = null where id = $1');
const postponeStatement = statement('letters-postpone', 'update letters set next_attempt_at = $2 where id = $1');
/** Its link is deleted, and its uses of the windows are given back: a letter that is never sent uses up none of the day. */
const withholdStatement = statement(
  'letters-withhold',
  `
  with ended as (update letters set sealed = null where id = $1 and sealed is not null returning token_hash),
  links as (delete from portal_links as p using ended as e where p.token_hash = e.token_hash)
  update rate_windows as w set taken = greatest(w.taken - 1, 0)
  from ended, (${lockedWindows('$2::text[]')}) as l where w.caller = l.caller`,
);

/** A letter with its recipient; what is of an account is null in a letter to a user. */
interface Claimed extends LetterSeller {
  readonly id: string;
  readonly kind: LetterKind;
  readonly sealed: Buffer;
  readonly attempts: number;
  readonly created_at: Date;
  readonly detail: string | null;
  readonly expires_at: Date;
  readonly email: string;
}

/** Submits the letters that are due, a few at a time, until none is left. */
export async function sendLetters(deps: SendDeps, isClosing: () => boolean): Promise<void> {
  while (!isClosing()) {
    const { rows } = await deps.database.pool.query(claimStatement([deps.clock.now()]));
    if (rows.length === 0) return;
    await Promise.all(rows.map((row) => sendClaimed(deps, row)));
  }
}

async function sendClaimed(deps: SendDeps, letter: Claimed): Promise<void> {
  const { database, clock, logger } = deps;
  const addressing = await addressingOf(deps, letter);
  if (addressing === 'withheld') {
    await database.pool.query(withholdStatement([letter.id, windowsGivenBack(letter.kind, letter.email)]));
    letterAttempted.announce(() => ({ letterId: letter.id, kind: letter.kind, to: letter.email, outcome: 'withheld' }));
    return;
  }
  const submission = addressing === 'unknown' ? notKnown : await send(deps, letter, addressing);
  const nextMs = clock.nowMs() + Math.min(longestWaitMs, minuteMs * 2 ** letter.attempts);
  const isTemporary = submission.outcome === 'deferred' || submission.outcome === 'unreachable';
  const isOver = !isTemporary || letter.attempts >= attemptsMax || nextMs >= letter.expires_at.getTime();
  if (submission.outcome !== 'taken') {
    const { outcome, detail, cause } = submission;
    logger.warn({ letterId: letter.id, outcome, detail, cause, isOver }, 'a letter was not sent');
  }
  await database.pool.query(isOver ? endStatement([letter.id]) : postponeStatement([letter.id, new Date(nextMs)]));
  letterAttempted.announce(() => ({
    letterId: letter.id,
    kind: letter.kind,
    to: letter.email,
    outcome: submission.outcome,
  }));
}

const notKnown: Submission = { outcome: 'deferred', detail: 'checkout did not say whether the address has bought' };

/** Whom the letter goes to; `unknown` while checkout cannot say. */
async function addressingOf(deps: SendDeps, letter: Claimed): Promise<Addressing | 'withheld' | 'unknown'> {
  const { requester, logger, replyTo } = deps;
  try {
    return (await recipientOf(requester, letter, replyTo)) ?? 'withheld';
  } catch (err) {
    logger.warn({ err, letterId: letter.id }, 'the recipient of a letter could not be looked up');
    return 'unknown';
  }
}

async function send({ mailer, box, clock }: SendDeps, letter: Claimed, addressing: Addressing): Promise<Submission> {
  let link: string;
  try {
    link = box.open(letter.sealed, letter.id).toString();
  } catch {
    // KEY_PEPPER was changed; a user who needs the letter requests another.
    return { outcome: 'refused', detail: 'the link cannot be opened with the KEY_PEPPER of today' };
  }
  return await mailer.send({
    id: letter.id,
    ...addressing,
    date: clock.now(),
    ...letterText(letter.kind, link, {
      // The link to a portal stands under this deployment's address.
      shop: shopOfLetter(letter, link.slice(0, link.indexOf('/p/'))),
      at: letter.created_at,
      detail: letter.detail,
    }),
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
}
