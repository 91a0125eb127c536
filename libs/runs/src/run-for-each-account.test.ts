import { newId } from '@app/contracts/ids';
import { silentLogger } from '@app/service-kit/logger';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type EachAccountRun, idOfPart, runForEachAccount } from './run-for-each-account.ts';
import type { RunLock } from './run-lock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const runId = newId('dailyRun', Date.parse('2026-03-15T12:00:00.000Z'));
const limitMs = 1_000;

/** Nothing else runs. */
const runLock: RunLock<string[]> = { run: async (_, work) => await work() };

async function* accountsOf(...accountIds: string[]): AsyncGenerator<string> {
  yield* accountIds;
}

/** A run whose result names the accounts, those that failed with a `!`. */
function start(
  run: Pick<EachAccountRun<string[]>, 'accounts' | 'part'> & Partial<EachAccountRun<string[]>>,
  isClosing: () => boolean = () => false,
): Promise<string[]> {
  const all = {
    partsAtOnce: 1,
    partLimitMs: limitMs,
    none: [],
    add: (sum: string[], part: string[]) => [...sum, ...part],
  };
  const failed = (accountId: string): string[] => [`${accountId}!`];
  const deps = { runLock, logger: silentLogger(), isClosing };
  return runForEachAccount(deps, { ...all, failed, ...run }, { runId, deadlineMs: Number.POSITIVE_INFINITY });
}

test('so many accounts are worked on at once, and each one once', async () => {
  const begun: string[] = [];
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const part = async ({ accountId }: { accountId: string }) => {
    const gate = gates[begun.length];
    begun.push(accountId);
    await gate?.promise;
    return [accountId];
  };
  const sum = start({ partsAtOnce: 2, accounts: accountsOf('acc_a', 'acc_b', 'acc_c'), part });
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toEqual(['acc_a', 'acc_b']);
  gates[1]?.resolve();
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toEqual(['acc_a', 'acc_b', 'acc_c']);
  for (const gate of gates) gate.resolve();
  expect((await sum).toSorted()).toEqual(['acc_a', 'acc_b', 'acc_c']);
});

test('a part without progress is waited for up to the limit; one that progresses, until it ends', async () => {
  let checks = 0;
  const slow = Promise.withResolvers<string[]>();
  const sum = start({
    accounts: accountsOf('acc_a', 'acc_b'),
    part: async ({ accountId }) =>
      await (accountId === 'acc_a' ? new Promise<string[]>(() => undefined) : slow.promise),
    progressOf: async (accountId) => {
      checks += 1;
      return accountId === 'acc_b' ? checks : null;
    },
  });
  await vi.advanceTimersByTimeAsync(5 * limitMs);
  slow.resolve(['acc_b']);
  expect(await sum).toEqual(['acc_a!', 'acc_b']);
  expect(checks).toBeGreaterThan(3);
  expect(vi.getTimerCount()).toBe(0);
});

test('a check of the progress that fails shows none', async () => {
  const part = () => new Promise<string[]>(() => undefined);
  const progressOf = () => Promise.reject(new Error('no answer'));
  const sum = start({ accounts: accountsOf('acc_a'), part, progressOf });
  await vi.advanceTimersByTimeAsync(limitMs);
  expect(await sum).toEqual(['acc_a!']);
});

test('when the process closes no further account is begun, and the run has no result', async () => {
  let closing = false;
  const begun: string[] = [];
  const part = async ({ accountId }: { accountId: string }) => {
    begun.push(accountId);
    closing = true;
    return [accountId];
  };
  const sum = start({ accounts: accountsOf('acc_a', 'acc_b'), part }, () => closing);
  await expect(sum).rejects.toMatchObject({ code: 'outcome_unknown' });
  expect(begun).toEqual(['acc_a']);
});

test('a part has the same id whenever it is made, and another one in another account or run', () => {
  const id = idOfPart(runId, 'acc_a');
  expect(idOfPart(runId, 'acc_a')).toBe(id);
  expect(idOfPart(runId, 'acc_b')).not.toBe(id);
  expect(idOfPart(newId('dailyRun', Date.parse('2026-03-15T12:00:00.000Z')), 'acc_a')).not.toBe(id);
});
