import { hash, randomBytes } from 'node:crypto';
import { type Client, statement } from '@app/service-kit/database';

const count = 10;
/** Crockford's base32: no letter looks like a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** 80 random bits each, so that a fast hash is enough. */
const newCode = (): string =>
  (
    Array.from(randomBytes(16), (byte) => alphabet[byte & 31])
      .join('')
      .match(/.{4}/g) ?? []
  ).join('-');

/** As people type it: case, hyphens and blanks do not count. */
const hashOf = (code: string): Buffer => hash('sha256', code.toLowerCase().replaceAll(/[\s-]/g, ''), 'buffer');

const dropStatement = statement('backup-codes-drop', 'delete from backup_codes where user_id = $1');
const insertStatement = statement(
  'backup-codes-insert',
  'insert into backup_codes (user_id, hash) select $1, unnest($2::bytea[])',
);
const useStatement = statement('backup-codes-use', 'delete from backup_codes where user_id = $1 and hash = $2');

/** Replaces the user's codes; the result is the only copy. */
export async function replaceBackupCodes(client: Client, userId: string): Promise<string[]> {
  const codes = Array.from({ length: count }, newCode);
  await client.query(dropStatement([userId]));
  await client.query(insertStatement([userId, codes.map(hashOf)]));
  return codes;
}

/** Whether the user had the code, which is used up. */
export async function useBackupCode(client: Client, userId: string, code: string): Promise<boolean> {
  return (await client.query(useStatement([userId, hashOf(code)]))).rowCount === 1;
}
