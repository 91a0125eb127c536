import { AsyncLocalStorage } from 'node:async_hooks';
import { currentTraceparent, inBatchSpan } from './tracing.ts';

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
  /** At most so many items share one run; 64 unless given. */
  readonly maxSize?: number;
  /** Beyond so many waiting items an item is refused; unbounded where those who wait are bounded already. */
  readonly maxWaiting?: number;
  /** Batches under way at once: each holds one of the pool's connections while its statement runs. One unless given. */
  readonly concurrency?: number;
  /** A batch waits so long for more items, where no caller waits for a single one; 0 unless given. */
  readonly lingerMs?: number;
  /** Items that share a key never share a run: the first one is done first. */
  readonly keysOf?: (item: I) => readonly string[];
  /** Why an item whose batch starts is not run any more: its error; undefined for one that is. When it throws, so does the batch. */
  readonly rejectionOf?: (item: I) => unknown;
  /** What an item is refused with that finds too many waiting, or the batcher closed: `BatcherFullError` unless given. */
  readonly fullError?: () => Error;
  readonly span?: BatchSpan;
  /** As many outcomes as items, in their order; when it throws, every item that has none yet fails with that error. */
  readonly run: (items: readonly I[]) => Promise<readonly ItemResult<O>[]>;
}

/** A batch as a span, linked to one in each item's own trace. */
export interface BatchSpan {
  readonly service: string;
  /** Names of the spans: what is done to one item, and to many. */
  readonly one: string;
  readonly many: string;
  /** The attribute that counts the items: `app.orders`. */
  readonly count: string;
}

export class BatcherFullError extends Error {
  override readonly name = 'BatcherFullError';
}

interface Waiting<I, O> {
  readonly item: I;
  readonly traceparent: string | undefined;
  readonly resolve: (value: O) => void;
  readonly reject: (error: unknown) => void;
  /** Undefined until its run has ended. */
  outcome: ItemResult<O> | undefined;
}

const defaultMaxSize = 64;

/**
 * Lets items that wait at the same time share one run. Unless `lingerMs` is given there is no timer: an item that finds a free slot starts at
 * once with whatever arrived in the same turn of the event loop; items that arrive while all slots work go together
 * next. So a lone item waits for no other, and the busier it gets, the larger the batches.
 */
export function createBatcher<I, O>(options: BatcherOptions<I, O>): Batcher<I, O> {
  const { maxSize = defaultMaxSize, maxWaiting = Number.POSITIVE_INFINITY, concurrency = 1, lingerMs = 0 } = options;
  const full = (why: string): Error => options.fullError?.() ?? new BatcherFullError(why);
  let waiting: Waiting<I, O>[] = [];
  let working = 0;
  let scheduled = false;
  let lingering: NodeJS.Timeout | undefined;
  let closing: Promise<void> | undefined;
  let whenIdle: (() => void) | undefined;
  // A batch belongs to many requests: it must not run inside the trace of whichever came first.
  const outsideRequests = AsyncLocalStorage.snapshot();

  function start(): void {
    scheduled = false;
    lingering = undefined;
    while (working < concurrency && waiting.length > 0) {
      const batch = waiting.length <= maxSize ? waiting : waiting.slice(0, maxSize);
      waiting = batch === waiting ? [] : waiting.slice(maxSize);
      working += 1;
      void outsideRequests(() => runBatch(options, batch)).then(() => {
        working -= 1;
        if (lingerMs === 0 || waiting.length === 0) start();
        else schedule();
      });
    }
    if (working === 0 && waiting.length === 0) whenIdle?.();
  }

  /** A batch that is full does not wait for more. */
  function schedule(): void {
    const isFull = waiting.length >= maxSize;
    if (working >= concurrency || (scheduled && !(isFull && lingering !== undefined))) return;
    clearTimeout(lingering);
    lingering = undefined;
    scheduled = true;
    if (lingerMs === 0 || isFull) setImmediate(start);
    else lingering = setTimeout(start, lingerMs);
  }

  return {
    get pending() {
      return waiting.length;
    },
    add: (item) => {
      if (closing !== undefined) return Promise.reject(full('closed: takes no more'));
      if (waiting.length >= maxWaiting) return Promise.reject(full(`${maxWaiting} are waiting already`));
      const traceparent = options.span === undefined ? undefined : currentTraceparent();
      return new Promise<O>((resolve, reject) => {
        waiting.push({ item, traceparent, resolve, reject, outcome: undefined });
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

async function runBatch<I, O>(options: BatcherOptions<I, O>, batch: readonly Waiting<I, O>[]): Promise<void> {
  let thrown: unknown;
  try {
    const wanted = options.rejectionOf === undefined ? batch : withoutRejected(options.rejectionOf, batch);
    if (wanted.length > 0) await inSpanOf(options.span, wanted, () => runGroups(options, wanted));
  } catch (err) {
    thrown = err;
  }
  for (const { outcome, resolve, reject } of batch) {
    if (outcome === undefined) reject(thrown ?? new Error('the batch ended without an outcome for this item'));
    else if (outcome.ok) resolve(outcome.value);
    else reject(outcome.error);
  }
}

function withoutRejected<I, O>(
  rejectionOf: (item: I) => unknown,
  batch: readonly Waiting<I, O>[],
): readonly Waiting<I, O>[] {
  return batch.filter((entry) => {
    const error = rejectionOf(entry.item);
    if (error !== undefined) entry.outcome = { ok: false, error };
    return error === undefined;
  });
}

function inSpanOf<I, O>(
  span: BatchSpan | undefined,
  entries: readonly Waiting<I, O>[],
  work: () => Promise<void>,
): Promise<void> {
  if (span === undefined) return work();
  const items = () => entries.map(({ traceparent }) => ({ name: span.one, traceparent }));
  const attributes = { [span.count]: entries.length };
  return inBatchSpan(span.many, { service: span.service, attributes, items }, () => work());
}

async function runGroups<I, O>(
  { keysOf, run }: BatcherOptions<I, O>,
  entries: readonly Waiting<I, O>[],
): Promise<void> {
  for (const group of groupsOf(entries, keysOf)) {
    const results = await run(group.map(({ item }) => item));
    if (results.length !== group.length) throw new Error(`${group.length} items but ${results.length} outcomes`);
    group.forEach((entry, index) => {
      entry.outcome = results[index];
    });
  }
}

/** Groups in which no key comes twice; of items with a common key the earlier one is in the earlier group. */
function groupsOf<I, O>(
  entries: readonly Waiting<I, O>[],
  keysOf: BatcherOptions<I, O>['keysOf'],
): readonly (readonly Waiting<I, O>[])[] {
  if (keysOf === undefined) return [entries];
  const groups: Waiting<I, O>[][] = [];
  const nextIndex = new Map<string, number>();
  for (const entry of entries) {
    const keys = keysOf(entry.item);
    const index = Math.max(0, ...keys.map((key) => nextIndex.get(key) ?? 0));
    for (const key of keys) nextIndex.set(key, index + 1);
    const group = groups[index];
    if (group === undefined) groups.push([entry]);
    else group.push(entry);
  }
  return groups;
}
