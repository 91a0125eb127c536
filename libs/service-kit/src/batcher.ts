import { AsyncLocalStorage } from 'node:async_hooks';

/** What became of one item of a batch. */
export type ItemResult<O> = { ok: true; value: O } | { ok: false; error: unknown };

export interface Batcher<I, O> {
  /** Resolves with this item's own outcome, or rejects with its own error. */
  add(item: I): Promise<O>;
  readonly pending: number;
  /** Runs what waits, then takes no more. */
  close(): Promise<void>;
}

export interface BatcherOptions<I, O> {
  readonly maxBatch: number;
  readonly maxWaiting: number;
  /** Batches under way at once. */
  readonly concurrency?: number;
  /** A batch waits so long for more items, where nobody waits for a single one; 0 unless given. */
  readonly gatherMs?: number;
  /** As many outcomes as items, in their order; when it throws, every item of the batch fails with that error. */
  readonly run: (items: I[]) => Promise<ItemResult<O>[]>;
}

export class BatcherFullError extends Error {
  override readonly name = 'BatcherFullError';
}

interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (value: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets items that wait at the same time share one run. Unless `gatherMs` is given there is no timer: an item that finds a free slot starts at
 * once with whatever arrived in the same turn of the event loop; items that arrive while all slots work go together
 * next. So a lone item waits for nobody, and the busier it gets, the larger the batches.
 */
export function createBatcher<I, O>(options: BatcherOptions<I, O>): Batcher<I, O> {
  const { maxBatch, maxWaiting, concurrency = 1, gatherMs = 0, run } = options;
  let waiting: Waiting<I, O>[] = [];
  let working = 0;
  let scheduled = false;
  let gathering: NodeJS.Timeout | undefined;
  let closing: Promise<void> | undefined;
  let whenIdle: (() => void) | undefined;
  // A batch belongs to many requests: it must not run inside the trace of whichever came first.
  const outsideRequests = AsyncLocalStorage.snapshot();

  function start(): void {
    scheduled = false;
    gathering = undefined;
    while (working < concurrency && waiting.length > 0) {
      const batch = waiting.length <= maxBatch ? waiting : waiting.slice(0, maxBatch);
      waiting = batch === waiting ? [] : waiting.slice(maxBatch);
      working += 1;
      void outsideRequests(() => runBatch(run, batch)).then(() => {
        working -= 1;
        if (gatherMs === 0 || waiting.length === 0) start();
        else schedule();
      });
    }
    if (working === 0 && waiting.length === 0) whenIdle?.();
  }

  /** A batch that is full does not wait for more. */
  function schedule(): void {
    const isFull = waiting.length >= maxBatch;
    if (working >= concurrency || (scheduled && !(isFull && gathering !== undefined))) return;
    clearTimeout(gathering);
    gathering = undefined;
    scheduled = true;
    if (gatherMs === 0 || isFull) setImmediate(start);
    else gathering = setTimeout(start, gatherMs);
  }

  return {
    get pending() {
      return waiting.length;
    },
    add: (item) => {
      if (closing !== undefined) return Promise.reject(new BatcherFullError('closed: takes no more'));
      if (waiting.length >= maxWaiting)
        return Promise.reject(new BatcherFullError(`${maxWaiting} are waiting already`));
      return new Promise<O>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        schedule();
      });
    },
    close: () => {
      closing ??= new Promise((resolve) => {
        if (working === 0 && waiting.length === 0) resolve();
        whenIdle = resolve;
      });
      return closing;
    },
  };
}

async function runBatch<I, O>(run: BatcherOptions<I, O>['run'], batch: readonly Waiting<I, O>[]): Promise<void> {
  try {
    const outcomes = await run(batch.map((entry) => entry.item));
    if (outcomes.length !== batch.length) throw new Error(`${batch.length} items but ${outcomes.length} outcomes`);
    for (const [index, outcome] of outcomes.entries()) {
      const entry = batch[index] as Waiting<I, O>;
      if (outcome.ok) entry.resolve(outcome.value);
      else entry.reject(outcome.error);
    }
  } catch (error) {
    for (const entry of batch) entry.reject(error);
  }
}
