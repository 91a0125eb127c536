import { applySettings, type Settings } from '@app/contracts/accounts';
import type { RequestInput } from '@app/contracts/define';
import { requireVersion } from '@app/contracts/validation';
import type { CallContext, Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { Actor } from './actors.ts';
import { type ShownSettings, settingsOf, shownSettingsOf } from './get-settings.ts';
import { isReservedHandle } from './handle.rules.ts';
import type { Letters } from './letters/letters.ts';
import { lockAccount, recordChange } from './settings-changed.ts';
import { requireStanding } from './standing.ts';
import { giveSupportEmail, letterToSupport } from './support-email.ts';
import { handleReserved, handleTaken, takeHandle } from './take-handle.ts';

const applyWithinMs = 3_000;

type SettingsChanges = { [K in keyof Settings]?: Settings[K] | undefined };

interface SettingsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly wakeRelay: () => void;
  readonly requester: Requester;
  readonly logger: Logger;
  readonly letters: Letters;
}

/**
 * Changes the settings that are given, answers all of them as they are shown, and writes the event of the change with the number it has. What changes nothing
 * writes no event. An address for support waits until it has confirmed, by a letter that is stored with the change. A switch of test mode is applied at checkout before it is answered: no later payment begins in the old mode.
 * @param ifVersion that the changes were made from; undefined where the caller does not say
 * @param baseUrl what the letter's link stands under
 * @throws DomainError handle_taken, version_changed, unauthorized; RetryLaterError
 */
export async function updateSettings(
  deps: SettingsDeps,
  actor: Actor,
  context: CallContext,
  { supportEmail, ...changes }: SettingsChanges,
  baseUrl: string,
  ifVersion?: number,
): Promise<ShownSettings> {
  const { database, clock, wakeRelay } = deps;
  const { accountId, requestId } = context;
  const letter = supportEmail === undefined ? null : await letterToSupport(deps, accountId, supportEmail, baseUrl);
  if (changes.handle !== undefined && isReservedHandle(changes.handle)) throw handleReserved();
  try {
    const { shown, changed, switchedBy } = await database.fork().transactional(async (tx) => {
      const account = await lockAccount(tx, accountId);
      await requireStanding(tx, actor);
      requireVersion(account.settingsRevision, ifVersion);
      const { settings: before, supportEmailPending: pending } = shownSettingsOf(account);
      tx.assign(account, changes as Partial<Settings>);
      if (supportEmail !== undefined) await giveSupportEmail(tx, account, supportEmail, letter);
      const after = settingsOf(account);
      if (isEqual(before, after) && pending === (account.supportEmailPending ?? null))
        return { shown: shownSettingsOf(account), changed: false, switchedBy: null };
      if (after.handle !== before.handle) await takeHandle(tx, accountId, after.handle, clock.now());
      await recordChange(tx, account, { changedAt: clock.now(), requestId });
      const switchedBy = after.testMode === before.testMode ? null : account.settingsRevision;
      return { shown: shownSettingsOf(account), changed: true, switchedBy };
    });
    if (changed) wakeRelay();
    if (letter !== null) deps.letters.wake();
    if (switchedBy !== null) await applyAtCheckout(deps, context, { settings: shown.settings, revision: switchedBy });
    return shown;
  } catch (err) {
    if (!(err instanceof UniqueConstraintViolationException)) throw err;
    throw handleTaken();
  }
}

/** Checkout gets them by their event too: it may be out now, and then no buyer pays. */
async function applyAtCheckout(
  { requester, logger }: SettingsDeps,
  context: CallContext,
  input: RequestInput<typeof applySettings>,
): Promise<void> {
  await requester
    .request(applySettings, input, { ...context, deadlineMs: Date.now() + applyWithinMs })
    .catch((err: unknown) =>
      logger.warn(
        { err, accountId: context.accountId },
        'checkout did not apply the settings at once; it will from their event',
      ),
    );
}

/** Settings are plain values. */
function isEqual(one: Settings, other: Settings): boolean {
  return (Object.keys(one) as (keyof Settings)[]).every((name) => one[name] === other[name]);
}
