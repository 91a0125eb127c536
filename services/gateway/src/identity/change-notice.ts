import { minuteMs } from '@app/contracts/durations';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { Actor } from './actors.ts';
import { type ChangedFrom, changeText, type SensitiveChange } from './letters/change-notice.rules.ts';
import type { Letters } from './letters/letters.ts';
import { insertNoticeStatement, lockedWindows, noticeValues, recipientWindow } from './letters/new-letter.ts';

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly letters: Pick<Letters, 'notice' | 'wake'>;
}

/** A call that redirects something, as the letter tells it. */
interface NoticedCall {
  readonly actor: Actor;
  readonly address: string;
  readonly userAgent: string | undefined;
  /** What the letter's link stands under. */
  readonly baseUrl: string;
}

/** The owner's letter about a change that is under way. */
export interface ChangeNotice {
  /** The change is made, or may be: the letter goes out. */
  release(): Promise<void>;
  /** Nothing was changed. */
  drop(): Promise<void>;
}

/** Longer than any change takes: what is not known to have failed by then is told. */
const heldMs = 3 * minuteMs;

const ownerStatement = statement<{ id: string; email: string; prefix: string | null; last_four: string | null }>(
  'change-notice-to',
  `select u.id, u.email, k.prefix, k.last_four
   from users as u left join api_keys as k on k.account_id = u.account_id and k.id = $2
   where u.account_id = $1 order by u.created_at limit 1`,
  { id: 'text', email: 'text', prefix: 'text', last_four: 'text' },
);
const releaseStatement = statement(
  'change-notice-release',
  'update letters set next_attempt_at = $2 where id = $1 and attempts = 0',
);
const dropStatement = statement(
  'change-notice-drop',
  `with dropped as (delete from letters where id = $1 and attempts = 0 returning id)
   update rate_windows as w set taken = greatest(w.taken - 1, 0)
   from dropped, (${lockedWindows('array[$2::text]')}) as l where w.caller = l.caller`,
);

const nothing: ChangeNotice = { release: async () => undefined, drop: async () => undefined };

/**
 * Stores the owner's letter before a change that redirects money or data is made, by whichever service: a process that dies in
 * the middle leaves a letter that goes out. Nothing is stored when the owner had those of the day.
 */
export async function holdChangeNotice(deps: Deps, change: SensitiveChange, call: NoticedCall): Promise<ChangeNotice> {
  const { database, clock, logger, letters } = deps;
  const { actor, address, userAgent, baseUrl } = call;
  const { rows } = await database.pool.query(ownerStatement([actor.accountId, actor.keyId]));
  const [owner] = rows;
  if (owner === undefined) return nothing;
  const letter = await letters.notice('change_notice', {
    ...{ email: owner.email, baseUrl },
    isUnverified: !actor.settings.emailVerified,
  });
  if (letter === null) return nothing;
  const { prefix, last_four: lastFour } = owner;
  const from: ChangedFrom = { key: prefix === null ? null : { prefix, lastFour: lastFour ?? '' }, userAgent, address };
  const dueAt = new Date(letter.createdAt.getTime() + heldMs);
  await database.pool.query(insertNoticeStatement(noticeValues(letter, owner.id, changeText(change, from), dueAt)));
  /** What came of the change is not undone for its letter, which goes out by itself. */
  const tolerant = async (work: Promise<unknown>): Promise<void> => {
    await work.catch((err: unknown) =>
      logger.warn({ err, letterId: letter.id }, 'a letter goes out later than it could'),
    );
  };
  return {
    release: async () => {
      await tolerant(database.pool.query(releaseStatement([letter.id, clock.now()])));
      letters.wake();
    },
    drop: () => tolerant(database.pool.query(dropStatement([letter.id, recipientWindow(letter.kind, letter.email)]))),
  };
}
