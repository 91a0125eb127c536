import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { leakWatch } from './leak-watch.ts';
import { forgetAnnouncements } from './points.ts';
import { pollSystem } from './poll-system.ts';

/** Sockets and pipes of the runner itself come and go; these kinds are what our services hold open. */
const guarded = ['ProcessWrap', 'TCPServerWrap', 'TCPSocketWrap', 'Timeout'] as const;

/**
 * Called at the top of a test file, before its own hooks: fails the file when child processes, sockets or timers that
 * keep the process alive are still open at its end, or when a test database had connections when it was closed.
 */
export function guardLeaks(): void {
  leakWatch.active = true;
  leakWatch.found = [];
  let before = new Map<string, number>();
  beforeAll(async () => {
    before = await countResources();
    // The runner has timers of 100 to 200 ms for its reports, now and at the end, but none that stays. Counting the one
    // of now would hide a leak; the one at the end is waited for.
    before.delete('Timeout');
  });
  // Vitest runs afterAll hooks last registered first: this one sees what the file's own have left.
  afterAll(async () => {
    leakWatch.active = false;
    forgetAnnouncements();
    await expectNothingLeft(before);
    if (leakWatch.found.length > 0) throw new Error(`Left open by this test file: ${leakWatch.found.join(', ')}`);
  });
}

/** A timer of a request or a connection that was given up ends by itself within half a minute; a leak does not. */
const endsWithinMs = 40_000;

/** What was closed just now is gone some turns of the event loop later. */
async function expectNothingLeft(before: Map<string, number>): Promise<void> {
  let left: string[] = [];
  const isNothingLeft = async (): Promise<boolean> => {
    const more = [...(await countResources())].map(([kind, count]) => ({
      kind,
      count: count - (before.get(kind) ?? 0),
    }));
    left = more.filter(({ count }) => count > 0).map(({ kind, count }) => `${count} ${kind}`);
    return left.length === 0;
  };
  await pollSystem('the end of what this test file opened', isNothingLeft, endsWithinMs).catch(() => {
    throw new Error(`Left open by this test file: ${left.join(', ')}`);
  });
}

async function countResources(): Promise<Map<string, number>> {
  // A timer counts until the turn that it woke is over: out of that turn first.
  await nextTurn();
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if ((guarded as readonly string[]).includes(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
