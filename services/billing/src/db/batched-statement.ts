import { type Batcher, createBatcher, type ItemResult } from '@app/service-kit/batcher';
import { runTogether } from '@app/service-kit/run-together';
import { currentTraceparent, inBatchSpan } from '@app/service-kit/tracing';

/** One statement that writes many items; all of them, or none when it throws. */
export interface BatchedStatement<I, O> {
  /** What it does to one item and to many, as the names of spans. */
  readonly span: { readonly one: string; readonly many: string };
  /** Items that share a key never share a statement: the first one is written first. */
  readonly keysOf: (item: I) => readonly string[];
  /** As many outcomes as items, in their order. Locks rows in one order, whatever the order of the items. */
  readonly write: (items: readonly I[]) => Promise<readonly O[]>;
  /** A batch holds one of the pool's connections while its statement runs; 2 at once unless given. */
  readonly concurrency?: number;
  /** A batch waits so long for more items, where nobody waits for a single one. */
  readonly gatherMs?: number;
  /** At most so many items share one commit; 64 unless given. */
  readonly max?: number;
}

const batchMax = 64;

interface Waiting<I> {
  readonly item: I;
  readonly traceparent: string | undefined;
}

/**
 * Writes items that wait at the same time with one statement and one commit; a lone item waits for nobody. Each has its own
 * outcome: where the statement refuses one of them it is repeated for each alone. An outage is everybody's error, and may
 * leave the commit in doubt. What waits is bounded by those who ask, as it is where they wait for a connection.
 */
export function batchStatement<I, O>(batched: BatchedStatement<I, O>): Pick<Batcher<I, O>, 'add' | 'close'> {
  const { span, keysOf, concurrency = 2, gatherMs = 0, max = batchMax } = batched;
  const batcher = createBatcher<Waiting<I>, O>({
    maxBatch: max,
    maxWaiting: Number.POSITIVE_INFINITY,
    concurrency,
    gatherMs,
    run: (batch) => {
      const items = () => batch.map(({ traceparent }) => ({ name: span.one, traceparent }));
      const attributes = { 'app.payments': batch.length };
      return inBatchSpan(span.many, { service: 'billing', attributes, items }, async () => {
        const outcomes = new Map<Waiting<I>, ItemResult<O>>();
        for (const together of inTurns(batch, ({ item }) => keysOf(item))) {
          const all = together.map(({ item }) => item);
          const written = await runTogether(all, batched.write);
          for (const [index, entry] of together.entries()) outcomes.set(entry, written[index] as ItemResult<O>);
        }
        return batch.map((entry) => outcomes.get(entry) as ItemResult<O>);
      });
    },
  });
  return {
    add: (item) => batcher.add({ item, traceparent: currentTraceparent() }),
    close: () => batcher.close(),
  };
}

/** Groups in which no key comes twice; of items with a common key the earlier one is in the earlier group. */
function inTurns<T>(items: readonly T[], keysOf: (item: T) => readonly string[]): T[][] {
  const turns: T[][] = [];
  const nextTurn = new Map<string, number>();
  for (const item of items) {
    const keys = keysOf(item);
    const turn = Math.max(...keys.map((key) => nextTurn.get(key) ?? 0));
    for (const key of keys) nextTurn.set(key, turn + 1);
    const group = turns[turn];
    if (group === undefined) turns.push([item]);
    else group.push(item);
  }
  return turns;
}
