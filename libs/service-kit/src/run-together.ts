import type { ItemResult } from './batcher.ts';
import { isOutage } from './outages.ts';

/**
 * Runs a batch together or, when it throws, each item alone, so that a bad one fails alone. An outage meets every item and
 * nothing is repeated: the commit may be in doubt.
 * @param run as many results as items, in their order; when it throws for another reason, nothing of the batch took effect
 * @returns one outcome for each item, in their order
 */
export async function runTogether<I, O>(
  items: readonly I[],
  run: (items: readonly I[]) => Promise<readonly O[]>,
): Promise<ItemResult<O>[]> {
  try {
    return (await run(items)).map((value) => ({ ok: true, value }));
  } catch (error) {
    if (items.length === 1 || isOutage(error)) return items.map(() => ({ ok: false, error }));
    return (await Promise.all(items.map((item) => runTogether([item], run)))).flat();
  }
}
