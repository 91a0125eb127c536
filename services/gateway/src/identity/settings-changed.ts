import { accountSettingsChanged, type Settings } from '@app/contracts/accounts';
import { addToOutbox, type OutboxRow, outboxRow } from '@app/messaging/outbox';
import type { InferEntity } from '@mikro-orm/core';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Account } from './account.entity.ts';
import { settingsOf } from './get-settings.ts';

export interface ChangedSettings {
  readonly accountId: string;
  /** All of them, as they are after the change. */
  readonly settings: Settings;
  /** The number of the change: consumers keep the settings with the highest one. */
  readonly revision: number;
  readonly changedAt: Date;
  readonly requestId: string | null;
}

/** The event of a change, for the outbox in the change's transaction. */
export function settingsChangedRow(changed: ChangedSettings): OutboxRow {
  const { accountId, settings, revision, changedAt, requestId } = changed;
  const data = { ...settings, revision, changedAt: changedAt.toISOString() };
  return outboxRow(accountSettingsChanged, data, { accountId, requestId, nowMs: changedAt.getTime() });
}

/** The row is locked: of two changes at once the later one has the higher number, and reports both. */
export const lockAccount = (tx: EntityManager, id: string): Promise<InferEntity<typeof Account>> =>
  tx.findOneOrFail(Account, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });

/** Numbers what was changed of a locked account, and writes its event in the transaction of the change. */
export async function recordChange(
  tx: EntityManager,
  account: InferEntity<typeof Account>,
  { changedAt, requestId }: Pick<ChangedSettings, 'changedAt' | 'requestId'>,
): Promise<void> {
  account.settingsRevision += 1;
  const { id: accountId, settingsRevision: revision } = account;
  await addToOutbox(tx, [
    settingsChangedRow({ accountId, settings: settingsOf(account), revision, changedAt, requestId }),
  ]);
}
