import { browserName } from '@app/contracts/user-agent';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { Letters } from './letters/letters.ts';
import { noticeValues } from './letters/new-letter.ts';
import { digestOfOrigin, originsKnownSince, type SessionOrigin } from './login-origin.ts';

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
  readonly letters: Pick<Letters, 'notice'>;
}

const toNotifyStatement = statement<{ email: string }>(
  'login-notice-to',
  `select u.email from users as u join accounts as a on a.id = u.account_id
   where u.id = $1 and a.email_verified
     and not exists (select from known_origins as k where k.user_id = u.id and k.origin = $2 and k.last_at > $3)`,
  { email: 'text' },
);

/**
 * Values of the letter that notifies a user of a log-in from where there was none in the last 90 days. Null where they know it, where
 * five such letters went out that day, and while the address is not verified: it may be a stranger's.
 */
export async function noticeOfLogin(
  { database, clock, letters }: Deps,
  userId: string,
  origin: SessionOrigin,
  baseUrl: string,
): Promise<unknown[] | null> {
  const values = [userId, digestOfOrigin(origin), originsKnownSince(clock.now())];
  const { rows } = await database.pool.query(toNotifyStatement(values));
  const [user] = rows;
  const letter = user === undefined ? null : await letters.notice('login_notice', { email: user.email, baseUrl });
  if (letter === null) return null;
  const browser = browserName(origin.userAgent ?? null) ?? 'a program';
  return noticeValues(letter, userId, `${browser}, network address ${origin.address}`);
}
