import { DomainError } from '@app/contracts/errors';
import { BatcherFullError, createBatcher, type Outcome } from '@app/service-kit/batcher';
import { isOutage } from '@app/service-kit/outages';
import { currentTraceparent, inBatchSpan } from '@app/service-kit/tracing';

/** At most so many checkouts share one statement. */
const batchMax = 64;
/** Of each step: about as many as are done while their callers wait. */
const waitingMax = 2_000;
/** Of each step. A batch holds one of the pool's connections while its statement runs. */
const concurrency = 2;

/** One step of many checkouts. Those that wait at the same time go together; each has its own outcome. */
export interface BatchedStep<I, O> {
  /** @throws DomainError `service_unavailable` when too many wait */
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
      return inBatchSpan(name, { service: 'checkout', attributes, items }, () => runTogether(run, all));
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

/** An outage meets each of a batch. After any other error each is tried alone, so that a bad one fails alone. */
async function runTogether<I, O>(run: StepOptions<I, O>['run'], items: readonly I[]): Promise<Outcome<O>[]> {
  try {
    return (await run(items)).map((value) => ({ ok: true, value }));
  } catch (error) {
    if (items.length === 1 || isOutage(error)) return items.map(() => ({ ok: false, error }));
    return (await Promise.all(items.map((item) => runTogether(run, [item])))).flat();
  }
}
