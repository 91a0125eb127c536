import { DomainError } from '@app/contracts/errors';
import { BatcherFullError, createBatcher } from '@app/service-kit/batcher';
import { runTogether } from '@app/service-kit/run-together';
import { currentTraceparent, inBatchSpan } from '@app/service-kit/tracing';

/** At most so many checkouts share one statement. */
const batchMax = 64;
/** Of each step: about as many as are done while their callers wait. */
const waitingMax = 2_000;
/** Of each step. A batch holds one of the pool's connections while its statement runs. */
const concurrency = 2;

/** One step of many checkouts. Those that wait at the same time go together; each has its own outcome. */
export interface BatchedStep<I, O> {
  /** @throws DomainError service_unavailable when too many wait */
  readonly take: (item: I) => Promise<O>;
  close(): Promise<void>;
}

export interface StepOptions<I, O> {
  /** Of the spans: `open checkouts`. */
  readonly name: string;
  readonly maxBatch?: number;
  /** As many results as items, in their order. When it throws, nothing of the batch took effect. */
  readonly run: (items: readonly I[]) => Promise<O[]>;
}

interface Waiting<I> {
  readonly item: I;
  readonly traceparent: string | undefined;
}

export function createBatchedStep<I, O>({ name, maxBatch = batchMax, run }: StepOptions<I, O>): BatchedStep<I, O> {
  const batcher = createBatcher<Waiting<I>, O>({
    ...{ maxBatch, maxWaiting: waitingMax, concurrency },
    run: (batch) => {
      const items = () => batch.map(({ traceparent }) => ({ name, traceparent }));
      const attributes = { 'app.checkouts': batch.length };
      const all = batch.map(({ item }) => item);
      return inBatchSpan(name, { service: 'checkout', attributes, items }, () => runTogether(all, run));
    },
  });
  return {
    take: async (item) => {
      try {
        return await batcher.add({ item, traceparent: currentTraceparent() });
      } catch (err) {
        if (err instanceof BatcherFullError)
          throw new DomainError('service_unavailable', 'Too many checkouts are waiting; try again shortly.');
        throw err;
      }
    },
    close: () => batcher.close(),
  };
}
