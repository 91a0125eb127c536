import { DomainError } from '@app/contracts/errors';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { hashLetterToken } from './new-letter.ts';

/** A letter whose link holds, with the user whom it is about and their account. */
export interface FoundLetter {
  readonly kind: 'verification' | 'password_reset' | 'email_change' | 'support_email';
  readonly user_id: string;
  /** That the user logs in with. */
  readonly email: string;
  readonly password_hash: string;
  /** Of a new address, for logging in or for support: the address itself; null otherwise. */
  readonly recipient: string | null;
  readonly account_id: string;
  readonly business_name: string;
  readonly email_verified: boolean;
  readonly created_at: Date;
}

const findStatement = statement<FoundLetter>(
  'letter-find',
  `select l.kind, l.user_id, u.email, u.password_hash, l.recipient, u.account_id, a.business_name, a.email_verified, a.created_at
   from letters as l join users as u on u.id = l.user_id join accounts as a on a.id = u.account_id
   where l.token_hash = $1 and l.kind = any($2::text[]) and l.expires_at > $3`,
  {
    kind: 'text',
    user_id: 'text',
    email: 'text',
    password_hash: 'text',
    recipient: 'text',
    account_id: 'text',
    business_name: 'text',
    email_verified: 'bool',
    created_at: 'timestamptz',
  },
);

export const linkOver = (): DomainError =>
  new DomainError('not_found', 'The link was used already, or is older than 48 hours, or is not complete.');

/** @throws DomainError not_found for a token that is of no such letter, or of one that is over */
export async function findLetter(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  token: string,
  kinds: readonly FoundLetter['kind'][],
): Promise<FoundLetter> {
  const { rows } = await database.pool.query(findStatement([hashLetterToken(token), kinds, clock.now()]));
  const [found] = rows;
  if (found === undefined) throw linkOver();
  return found;
}
