import { applySettings, type Settings } from '@app/contracts/accounts';
import type { RequestInput } from '@app/contracts/define';
import { addToOutbox } from '@app/messaging/outbox';
import type { CallContext, Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { LockMode } from '@mikro-orm/postgresql';
import { Account } from './account.entity.ts';
import { settingsOf } from './get-settings.ts';
import { isReservedHandle } from './handle.rules.ts';
import { settingsChangedRow } from './settings-changed.ts';
import { handleReserved, handleTaken, takeHandle } from './take-handle.ts';

const applyWithinMs = 3_000;

type SettingsChanges = { [K in keyof Settings]?: Settings[K] | undefined };

interface SettingsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly wakeRelay: () => void;
  readonly requester: Requester;
  readonly logger: Logger;
}

/**
 * Changes the settings that are given, answers all of them with the name of the logo, and writes the event of the change with the number it has. What changes nothing
 * writes no event. A switch of test mode is applied at checkout before it is answered: no later payment begins in the old mode.
 * @throws DomainError handle_taken
 */
export async function updateSettings(
  deps: SettingsDeps,
  context: CallContext,
  changes: SettingsChanges,
): Promise<{ readonly settings: Settings; readonly logoName: string | null }> {
  const { database, clock, wakeRelay } = deps;
  const { accountId, requestId } = context;
  if (changes.handle !== undefined && isReservedHandle(changes.handle)) throw handleReserved();
  try {
    const { settings, logoName, changed, switchedBy } = await database.fork().transactional(async (tx) => {
      // The row is locked: of two changes at once the later one has the higher number, and tells of both.
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      const account = await tx.findOneOrFail(Account, { id: accountId }, { lockMode });
      const before = settingsOf(account);
      tx.assign(account, changes as Partial<Settings>);
      const after = settingsOf(account);
      const { logoName = null } = account;
      if (isEqual(before, after)) return { settings: after, logoName, changed: false, switchedBy: null };
      if (after.handle !== before.handle) await takeHandle(tx, accountId, after.handle, clock.now());
      account.settingsRevision += 1;
      const { settingsRevision: revision } = account;
      const row = { accountId, settings: after, revision, changedAt: clock.now(), requestId };
      await addToOutbox(tx, [settingsChangedRow(row)]);
      return {
        settings: after,
        logoName,
        changed: true,
        switchedBy: after.testMode === before.testMode ? null : revision,
      };
    });
    if (changed) wakeRelay();
    if (switchedBy !== null) await applyAtCheckout(deps, context, { settings, revision: switchedBy });
    return { settings, logoName };
  } catch (err) {
    if (!(err instanceof UniqueConstraintViolationException)) throw err;
    throw handleTaken();
  }
}

/** Checkout gets them by their event too: it may be out now, and then nobody pays. */
async function applyAtCheckout(
  { requester, logger }: SettingsDeps,
  context: CallContext,
  input: RequestInput<typeof applySettings>,
): Promise<void> {
  await requester
    .request(applySettings, input, { ...context, waitMs: applyWithinMs })
    .catch((err: unknown) =>
      logger.warn({ err, accountId: context.accountId }, 'checkout did not apply the settings; their event follows'),
    );
}

/** Settings are plain values. */
function isEqual(one: Settings, other: Settings): boolean {
  return (Object.keys(one) as (keyof Settings)[]).every((name) => one[name] === other[name]);
}
