import type { BatcherOptions, ItemResult } from './batcher.ts';
import { isOutage } from './outages.ts';

/**
 * The run of a batcher that does its items together or, when that throws, each alone, so that a bad one fails alone. An
 * outage meets every item and nothing is repeated: the commit may be in doubt.
 * @param run as many results as items, in their order; when it throws for another reason, nothing of the batch took effect
 */
export function together<I, O>(run: (items: readonly I[]) => Promise<readonly O[]>): BatcherOptions<I, O>['run'] {
  const runTogether = async (items: readonly I[]): Promise<ItemResult<O>[]> => {
    try {
      return (await run(items)).map((value) => ({ ok: true, value }));
    } catch (error) {
      if (items.length === 1 || isOutage(error)) return items.map(() => ({ ok: false, error }));
      return (await Promise.all(items.map((item) => runTogether([item])))).flat();
    }
  };
  return runTogether;
}
