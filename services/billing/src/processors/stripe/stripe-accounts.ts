import { NothingDoneError, type ProcessorCall, type ProcessorRecord } from '../port.ts';
import { StripeAnswerError } from './stripe-errors.ts';

/** The account's earlier keys, newest first. */
const earlierCallsOf = (call: ProcessorCall): readonly ProcessorCall[] =>
  (call.earlierKeys ?? []).map((secretKey) => ({ ...call, secretKey }));

/** Ids are unique over all of Stripe: where one Stripe account has no such object another one may. */
const isElsewhere = (err: unknown): boolean => err instanceof StripeAnswerError && err.code === 'resource_missing';

/** Sellers revoke the keys of a Stripe account that they left: then nothing can be read there any more. */
const isRefused = (err: unknown): boolean =>
  err instanceof NothingDoneError && (err.why === 'key_refused' || err.why === 'not_permitted');

/** That it is the current key which is refused would end the account's run, and be what its seller is notified of. */
const leftAccount = (): NothingDoneError =>
  new NothingDoneError(
    'no_connection',
    'Stripe does not accept the key of the Stripe account that this was made with. Nothing was done.',
  );

/**
 * What the work gives with the key of the Stripe account that has what it is about.
 * @param isFound whether it is there; what throws that Stripe has no such object is not
 * @throws what the work threw with the last key; NothingDoneError no_connection where an earlier key is refused and what it is
 * about is not at the other Stripe accounts
 */
export async function whereItIs<T>(
  call: ProcessorCall,
  work: (call: ProcessorCall) => Promise<T>,
  isFound: (result: T) => boolean = () => true,
): Promise<T> {
  let last = await attempt(() => work(call), isFound);
  for (const earlier of earlierCallsOf(call)) {
    if (last.found) break;
    const before = last;
    last = await attempt(() => work(earlier), isFound).catch((err: unknown) => {
      if (!isRefused(err)) throw err;
      // Nothing is open at a Stripe account when another one's key is stored: what the current one lacks never arrived.
      return 'result' in before ? before : { found: false, err: leftAccount() };
    });
  }
  if ('result' in last) return last.result;
  throw last.err;
}

type Attempted<T> = { readonly found: boolean; readonly result: T } | { readonly found: false; readonly err: unknown };

async function attempt<T>(work: () => Promise<T>, isFound: (result: T) => boolean): Promise<Attempted<T>> {
  try {
    const result = await work();
    return { found: isFound(result), result };
  } catch (err) {
    if (!isElsewhere(err)) throw err;
    return { found: false, err };
  }
}

/** The lists of all of them as one, oldest first. Of an earlier Stripe account whose key is refused nothing can be listed. */
export async function* mergedLists(
  call: ProcessorCall,
  list: (call: ProcessorCall) => AsyncGenerator<ProcessorRecord>,
): AsyncGenerator<ProcessorRecord> {
  const lists = [list(call), ...earlierCallsOf(call).map((earlier) => untilRefused(list(earlier)))];
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

async function* untilRefused(records: AsyncGenerator<ProcessorRecord>): AsyncGenerator<ProcessorRecord> {
  try {
    yield* records;
  } catch (err) {
    if (!isRefused(err)) throw err;
  }
}
