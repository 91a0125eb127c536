import type { Settings } from '@app/contracts/accounts';
import { addToOutbox } from '@app/messaging/outbox';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { LockMode } from '@mikro-orm/postgresql';
import { Account } from '../accounts/account.entity.ts';
import { isReservedHandle } from '../accounts/handle.rules.ts';
import { settingsChangedRow } from '../accounts/settings-changed.ts';
import { handleReserved, handleTaken, takeHandle } from '../accounts/take-handle.ts';
import { settingsOf } from './get-settings.ts';

type SettingsChanges = { [K in keyof Settings]?: Settings[K] | undefined };

interface SettingsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly wakeRelay: () => void;
}

/**
 * Changes the settings that are given, and writes the event of the change with the number it has. What changes nothing
 * writes no event.
 * @throws DomainError handle_taken
 */
export async function updateSettings(
  { database, clock, wakeRelay }: SettingsDeps,
  { accountId, requestId }: { accountId: string; requestId: string },
  changes: SettingsChanges,
): Promise<Settings> {
  if (changes.handle !== undefined && isReservedHandle(changes.handle)) throw handleReserved();
  try {
    const { settings, changed } = await database.fork().transactional(async (tx) => {
      // The row is locked: of two changes at once the later one has the higher number, and tells of both.
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      const account = await tx.findOneOrFail(Account, { id: accountId }, { lockMode });
      const before = settingsOf(account);
      tx.assign(account, changes as Partial<Settings>);
      const after = settingsOf(account);
      if (isEqual(before, after)) return { settings: after, changed: false };
      if (after.handle !== before.handle) await takeHandle(tx, accountId, after.handle, clock.now());
      account.settingsRevision += 1;
      const { settingsRevision: revision } = account;
      const row = { accountId, settings: after, revision, changedAt: clock.now(), requestId };
      await addToOutbox(tx, [settingsChangedRow(row)]);
      return { settings: after, changed: true };
    });
    if (changed) wakeRelay();
    return settings;
  } catch (err) {
    if (!(err instanceof UniqueConstraintViolationException)) throw err;
    throw handleTaken();
  }
}

/** Settings are plain values. */
function isEqual(one: Settings, other: Settings): boolean {
  return (Object.keys(one) as (keyof Settings)[]).every((name) => one[name] === other[name]);
}
