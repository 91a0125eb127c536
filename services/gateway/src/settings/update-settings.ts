import type { Settings } from '@app/contracts/accounts';
import { DomainError } from '@app/contracts/errors';
import type { Database } from '@app/service-kit/database';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Account } from '../accounts/account.entity.ts';
import { settingsOf } from './get-settings.ts';

type SettingsChanges = { [K in keyof Settings]?: Settings[K] | undefined };

/** Changes the settings that are given. Throws `handle_taken`. */
export async function updateSettings(
  database: Database,
  accountId: string,
  changes: SettingsChanges,
): Promise<Settings> {
  const em = database.fork();
  const account = await em.findOneOrFail(Account, { id: accountId });
  em.assign(account, changes as Partial<Settings>);
  try {
    await em.flush();
  } catch (err) {
    if (!(err instanceof UniqueConstraintViolationException)) throw err;
    const field = { field: 'handle', code: 'handle_taken', message: 'belongs to another account' };
    throw new DomainError('handle_taken', 'Another account has this handle.', [field]);
  }
  return settingsOf(account);
}
