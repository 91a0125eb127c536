import type { ProcessorCall, ProcessorRecord } from '../payment-processor.ts';
import { StripeAnswerError } from './stripe-errors.ts';

/** The call with each of the account's keys, the current one first. */
const callsOf = (call: ProcessorCall): readonly ProcessorCall[] =>
  [call.secretKey, ...(call.earlierKeys ?? [])].map((secretKey) => ({ ...call, secretKey }));

/** Ids are unique over all of Stripe: where one Stripe account has no such object another one may. */
const isElsewhere = (err: unknown): boolean => err instanceof StripeAnswerError && err.code === 'resource_missing';

/**
 * What the work gives with the key of the Stripe account that has what it is about.
 * @param isFound whether it is there; what throws that Stripe has no such object is not
 * @throws what the work threw with the last key
 */
export async function whereItIs<T>(
  call: ProcessorCall,
  work: (call: ProcessorCall) => Promise<T>,
  isFound: (result: T) => boolean = () => true,
): Promise<T> {
  const calls = callsOf(call);
  for (const one of calls.slice(0, -1)) {
    try {
      const result = await work(one);
      if (isFound(result)) return result;
    } catch (err) {
      if (!isElsewhere(err)) throw err;
    }
  }
  return await work(calls.at(-1) as ProcessorCall);
}

/** The lists of all of them as one, oldest first. */
export async function* mergedLists(
  call: ProcessorCall,
  list: (call: ProcessorCall) => AsyncGenerator<ProcessorRecord>,
): AsyncGenerator<ProcessorRecord> {
  const lists = callsOf(call).map(list);
  const heads = await Promise.all(lists.map((one) => one.next()));
  while (true) {
    const times = heads.map(({ done, value }) => (done ? Number.POSITIVE_INFINITY : value.recordedAt.getTime()));
    const first = times.indexOf(Math.min(...times));
    const head = heads[first];
    if (head === undefined || head.done) return;
    yield head.value;
    heads[first] = (await lists[first]?.next()) ?? { done: true, value: undefined };
  }
}
