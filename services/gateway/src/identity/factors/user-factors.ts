import type { FactorMethod } from '@app/contracts/factors';
import { type Client, type Database, statement } from '@app/service-kit/database';
import type { RelyingParty } from './relying-party.rules.ts';

/** What a user can prove themselves with beside the password. */
export interface UserFactors {
  readonly hasCodes: boolean;
  readonly backupCodesLeft: number;
  readonly passkeys: number;
}

const readStatement = statement<{ has_codes: boolean; backup_codes: number; passkeys: number }>(
  'factors-read',
  `select exists (select from one_time_codes where user_id = $1 and activated_at is not null) as has_codes,
     (select count(*) from backup_codes where user_id = $1)::int4 as backup_codes,
     (select count(*) from passkeys where user_id = $1)::int4 as passkeys`,
  { has_codes: 'bool', backup_codes: 'int4', passkeys: 'int4' },
);
/** Removes all factors of a user, for the transaction of what makes them void. The password is enough then. Takes the user's id. */
export const removeFactorsStatement = statement(
  'factors-remove',
  `with codes as (delete from one_time_codes where user_id = $1),
     backups as (delete from backup_codes where user_id = $1),
     challenges as (delete from passkey_challenges where user_id = $1),
     pending as (delete from pending_logins where user_id = $1)
   delete from passkeys where user_id = $1`,
);
const dropOrphansStatement = statement(
  'factors-orphans',
  `delete from backup_codes where user_id = $1 and not exists (select from passkeys where user_id = $1)
     and not exists (select from one_time_codes where user_id = $1 and activated_at is not null)`,
);

/** @param client of a transaction, or the pool */
export async function readFactors(client: Client | Database['pool'], userId: string): Promise<UserFactors> {
  const { rows } = await client.query(readStatement([userId]));
  const [row] = rows;
  if (row === undefined) throw new Error('a select of values gave no row');
  return { hasCodes: row.has_codes, backupCodesLeft: row.backup_codes, passkeys: row.passkeys };
}

/** Whether a password or a link is not enough. */
export const isFactorDue = ({ hasCodes, passkeys }: UserFactors): boolean => hasCodes || passkeys > 0;

/** With what the log-in goes on here. @param party null where browsers use no passkeys */
export function methodsOf({ hasCodes, backupCodesLeft, passkeys }: UserFactors, party: RelyingParty | null) {
  const methods: [FactorMethod, boolean][] = [
    ['passkey', passkeys > 0 && party !== null],
    ['code', hasCodes],
    ['backup_code', backupCodesLeft > 0],
  ];
  return methods.filter(([, has]) => has).map(([method]) => method);
}

/** Without another factor backup codes are no use; in the transaction that removes one. */
export async function dropLoneBackupCodes(client: Client, userId: string): Promise<void> {
  await client.query(dropOrphansStatement([userId]));
}
