import { accountSettingsChanged, type Settings } from '@app/contracts/accounts';
import { type OutboxRow, outboxRow } from '@app/messaging/outbox';

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
