import { type Database, statement } from '@app/service-kit/database';
import { changeText } from './letters/change-notice.rules.ts';
import type { Letters } from './letters/letters.ts';
import { insertNoticeStatement, noticeValues } from './letters/new-letter.ts';
import type { SessionOrigin } from './login-origin.ts';

interface Deps {
  readonly database: Database;
  readonly letters: Pick<Letters, 'notice' | 'wake'>;
}

const toNotifyStatement = statement<{ email: string }>(
  'wrong-codes-notice-to',
  'select u.email from users as u join accounts as a on a.id = u.account_id where u.id = $1 and a.email_verified',
  { email: 'text' },
);

/**
 * Sends a user the letter that somebody knows their password and fails at the second factor. None goes to an address that is not
 * verified: it may be a stranger's.
 * @param baseUrl what the letter's link stands under
 */
export async function noticeOfWrongCodes(
  { database, letters }: Deps,
  userId: string,
  { address, userAgent }: SessionOrigin,
  baseUrl: string,
): Promise<void> {
  const [user] = (await database.pool.query(toNotifyStatement([userId]))).rows;
  const letter = user === undefined ? null : await letters.notice('change_notice', { email: user.email, baseUrl });
  if (letter === null) return;
  const detail = changeText('wrong_codes', { key: null, userAgent, address });
  await database.pool.query(insertNoticeStatement(noticeValues(letter, userId, detail)));
  letters.wake();
}
