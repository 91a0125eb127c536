import type { StoredImage } from '@app/contracts/images';
import { type Database, statement } from '@app/service-kit/database';
import { readImage } from '@app/service-kit/images';

const putStatement = statement(
  'logo-put',
  `with stored as (
     insert into logos (account_id, name, bytes) values ($1, $2, $3)
     on conflict (account_id) do update set name = excluded.name, bytes = excluded.bytes
   )
   update accounts set logo_name = $2 where id = $1`,
);

/**
 * Replaces the account's logo. The one before has no address any more.
 * @param data base64
 * @throws DomainError validation_failed
 */
export async function putLogo({ pool }: Database, accountId: string, data: string): Promise<StoredImage> {
  const { image, bytes } = readImage(data);
  await pool.query(putStatement([accountId, image.name, bytes]));
  return image;
}

const deleteStatement = statement(
  'logo-delete',
  `with removed as (delete from logos where account_id = $1)
   update accounts set logo_name = null where id = $1`,
);

export async function deleteLogo({ pool }: Database, accountId: string): Promise<void> {
  await pool.query(deleteStatement([accountId]));
}

const byName = statement<{ bytes: Buffer }>('logo-by-name', 'select bytes from logos where name = $1 limit 1', {
  bytes: 'bytea',
});

/** The bytes with this name, of whichever account: all that have the name are equal. Null where there are none. */
export async function findLogo({ pool }: Database, name: string): Promise<Buffer | null> {
  const { rows } = await pool.query(byName([name]));
  return rows[0]?.bytes ?? null;
}
