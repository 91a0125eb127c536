import type { StoredImage } from '@app/contracts/images';
import { executeBound } from '@app/service-kit/bound-sql';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { readImage } from '@app/service-kit/images';
import type { EntityManager } from '@mikro-orm/postgresql';
import { lockAccount, recordChange } from './settings-changed.ts';

interface LogoDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly wakeRelay: () => void;
}

interface Owner {
  readonly accountId: string;
  readonly requestId: string;
}

const putStatement = statement(
  'logo-put',
  `insert into logos (account_id, name, bytes) values ($1, $2, $3)
   on conflict (account_id) do update set name = excluded.name, bytes = excluded.bytes`,
);

/**
 * Replaces the account's logo, and writes the event of its settings: emails have the logo too. The one before has no address any more.
 * @param data base64
 * @throws DomainError validation_failed
 */
export async function putLogo(deps: LogoDeps, owner: Owner, data: string): Promise<StoredImage> {
  const { image, bytes } = readImage(data);
  await nameLogo(deps, owner, image.name, (tx) => executeBound(tx, putStatement([owner.accountId, image.name, bytes])));
  return image;
}

const deleteStatement = statement('logo-delete', 'delete from logos where account_id = $1');

export async function deleteLogo(deps: LogoDeps, owner: Owner): Promise<void> {
  await nameLogo(deps, owner, null, (tx) => executeBound(tx, deleteStatement([owner.accountId])));
}

/** The bytes change first: they are what a reader of the new name finds. */
async function nameLogo(
  { database, clock, wakeRelay }: LogoDeps,
  { accountId, requestId }: Owner,
  name: string | null,
  store: (tx: EntityManager) => Promise<unknown>,
): Promise<void> {
  await database.fork().transactional(async (tx) => {
    const account = await lockAccount(tx, accountId);
    await store(tx);
    if ((account.logoName ?? null) === name) return;
    account.logoName = name;
    await recordChange(tx, account, { changedAt: clock.now(), requestId });
  });
  wakeRelay();
}

const byName = statement<{ bytes: Buffer }>('logo-by-name', 'select bytes from logos where name = $1 limit 1', {
  bytes: 'bytea',
});

/** The bytes with this name, of whichever account: all that have the name are equal. Null where there are none. */
export async function findLogo({ pool }: Database, name: string): Promise<Buffer | null> {
  const { rows } = await pool.query(byName([name]));
  return rows[0]?.bytes ?? null;
}
