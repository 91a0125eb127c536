import type { Handover } from '@app/email/email-transport';
import type { Mailer } from '@app/email/mailer';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { SealedBox } from '@app/service-kit/sealed-box';
import { letterHandedOver } from '../points/points.ts';
import type { LetterKind } from './letter-paths.ts';
import { letterText } from './letter-text.rules.ts';

export interface HandOverDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mailer: Mailer;
  readonly box: SealedBox;
  /** Where answers go: the sender's own address. */
  readonly replyTo: string;
}

const atOnce = 8;
const minuteMs = 60_000;
/** After so many a letter is given up: the waits between them are a day and a half together. */
const attemptsMax = 12;
const longestWaitMs = 4 * 60 * minuteMs;

/** The next attempt stands in the row before this one begins: a process that dies leaves a letter that goes out then. */
const claimStatement = statement(
  'letters-claim',
  `update letters as l set attempts = l.attempts + 1, next_attempt_at = $1::timestamptz + interval '3 minutes'
   from users as u
   where u.id = l.user_id and l.id in (
     select id from letters where sealed is not null and next_attempt_at <= $1
     order by next_attempt_at limit ${atOnce} for update skip locked)
   returning l.id, l.kind, l.sealed, l.attempts, l.expires_at, u.email`,
);
const endStatement = statement('letters-end', 'update letters set sealed = null where id = $1');
const postponeStatement = statement('letters-postpone', 'update letters set next_attempt_at = $2 where id = $1');

interface Claimed {
  readonly id: string;
  readonly kind: LetterKind;
  readonly sealed: Buffer;
  readonly attempts: number;
  readonly expires_at: Date;
  readonly email: string;
}

/** Hands over the letters that are due, a few at a time, until none is left. */
export async function handOverLetters(deps: HandOverDeps, isClosing: () => boolean): Promise<void> {
  while (!isClosing()) {
    const { rows } = await deps.database.pool.query<Claimed>(claimStatement([deps.clock.now()]));
    if (rows.length === 0) return;
    await Promise.all(rows.map((row) => handOver(deps, row)));
  }
}

async function handOver(deps: HandOverDeps, letter: Claimed): Promise<void> {
  const { database, clock, logger } = deps;
  const handover = await send(deps, letter);
  const nextMs = clock.nowMs() + Math.min(longestWaitMs, minuteMs * 2 ** letter.attempts);
  const isTemporary = handover.outcome === 'deferred' || handover.outcome === 'unreachable';
  const isOver = !isTemporary || letter.attempts >= attemptsMax || nextMs >= letter.expires_at.getTime();
  if (handover.outcome !== 'taken') {
    const { outcome, detail, cause } = handover;
    logger.warn({ letterId: letter.id, outcome, detail, cause, isOver }, 'a letter was not handed over');
  }
  await database.pool.query(isOver ? endStatement([letter.id]) : postponeStatement([letter.id, new Date(nextMs)]));
  letterHandedOver.announce(() => ({ letterId: letter.id, to: letter.email, outcome: handover.outcome }));
}

async function send({ mailer, box, clock, replyTo }: HandOverDeps, letter: Claimed): Promise<Handover> {
  let link: string;
  try {
    link = box.open(letter.sealed, letter.id).toString();
  } catch {
    // KEY_PEPPER was changed; whoever needs the letter requests another.
    return { outcome: 'refused', detail: 'the link cannot be opened with the KEY_PEPPER of today' };
  }
  return await mailer.send({
    id: letter.id,
    fromName: '',
    to: letter.email,
    replyTo,
    date: clock.now(),
    ...letterText(letter.kind, link),
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
}
