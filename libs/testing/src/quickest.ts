/**
 * How long something takes, in milliseconds: the least of up to five times, because a machine that has no turn for this
 * process says nothing of it. It is done once more only where it took longer than it may.
 */
export async function quickestMs(allowedMs: number, act: () => unknown): Promise<number> {
  let quickest = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 5 && quickest >= allowedMs; times += 1) {
    const startedMs = performance.now();
    await act();
    quickest = Math.min(quickest, performance.now() - startedMs);
  }
  return quickest;
}
