import type { FakeClock } from '@app/testing/fake-clock';
import type {
  CardRequest,
  PaymentProcessor,
  ProcessorCall,
  ReferenceRequest,
  SavedMethodRequest,
  SentOutcome,
} from '../../src/processors/port.ts';

/**
 * What happens to one call.
 * - `answered`: nothing.
 * - `throws_before`: it never reaches the processor, and throws at once.
 * - `not_done`: no connection to the processor can be made, and its adapter says so.
 * - `throws_after`: it reaches it, and throws in place of the answer.
 * - `request_lost`, `answer_lost`: as these two, but no answer comes until the deadline.
 * - `doubled`: it reaches the processor twice, one after the other; the second answer is returned.
 * - `raced`: it reaches the processor twice at once.
 * - `late`: no answer comes until the deadline; the request waits on its way until `deliverLate`.
 * - `answered_a_day_late`: the answer comes after a day of the clock.
 */
export type Fault =
  | 'answered'
  | 'throws_before'
  | 'not_done'
  | 'throws_after'
  | 'request_lost'
  | 'answer_lost'
  | 'doubled'
  | 'raced'
  | 'late'
  | 'answered_a_day_late';

export type FaultyMethod =
  | 'authorize'
  | 'charge'
  | 'saveMethod'
  | 'chargeSaved'
  | 'capture'
  | 'refund'
  | 'release'
  | 'lookUp'
  | 'list';

/** One call as it was made, for tests that count or order them. */
export interface FaultyCall {
  readonly method: FaultyMethod;
  /** Null for `list`. */
  readonly paymentId: string | null;
  readonly fault: Fault;
}

export interface FaultyProcessor extends PaymentProcessor {
  /** All calls so far, in the order they were made. */
  readonly calls: readonly FaultyCall[];
  /** How many requests wait on their way. */
  readonly waiting: number;
  /**
   * Delivers what waits on its way, last sent first: out of order. The sender is not notified of it.
   * @param random in [0, 1): given, the order is random
   */
  deliverLate(random?: () => number): Promise<void>;
  /** Resolves when no request is arriving whose sender may have hung up. */
  arrived(): Promise<void>;
}

/** Of a call with such a fault no answer comes until the deadline. */
export const isSilent = (fault: Fault | undefined): boolean =>
  fault === 'request_lost' || fault === 'answer_lost' || fault === 'late';

/**
 * @param faultOf decides each call's fault: from a script (`scripted`), or from a seeded random source (`randomFaults`).
 *   `lookUp` and `list` know no delivery of their own: whatever fault but `answered` throws for them.
 * @param clock moved by `answered_a_day_late`
 */
export function faultyProcessor(
  inner: PaymentProcessor,
  faultOf: (call: { method: FaultyMethod; paymentId: string | null }) => Fault,
  clock?: FakeClock,
): FaultyProcessor {
  const calls: FaultyCall[] = [];
  let late: (() => Promise<unknown>)[] = [];
  const arriving = new Set<Promise<unknown>>();
  const note = (method: FaultyMethod, paymentId: string | null): Fault => {
    const fault = faultOf({ method, paymentId });
    calls.push({ method, paymentId, fault });
    return fault;
  };
  const sends =
    <Request extends CardRequest | SavedMethodRequest | ReferenceRequest>(
      method: Exclude<FaultyMethod, 'lookUp' | 'list'>,
      deliver: (request: Request, call: ProcessorCall) => Promise<SentOutcome>,
    ) =>
    (request: Request, call: ProcessorCall): Promise<SentOutcome> => {
      // What is on its way arrives, also where the caller has hung up meanwhile.
      const arrive = () => {
        const sent = deliver(request, { ...call, signal: new AbortController().signal });
        const ended = sent.catch(() => undefined).finally(() => arriving.delete(ended));
        arriving.add(ended);
        return sent;
      };
      const fault = note(method, request.paymentId);
      if (fault === 'late') late.push(arrive);
      return through(fault, arrive, () => deliver(request, call), call.signal, clock);
    };
  return {
    name: inner.name,
    ...(inner.findsMadeRefunds && { findsMadeRefunds: true }),
    calls,
    get waiting() {
      return late.length;
    },
    deliverLate: async (random) => {
      const delivered = random === undefined ? late.toReversed() : shuffled(late, random);
      late = [];
      // The processor may refuse by then; no caller is notified of that either.
      for (const arrive of delivered) await arrive().catch(() => undefined);
    },
    arrived: async () => void (await Promise.all(arriving)),
    authorize: sends('authorize', inner.authorize),
    charge: sends('charge', inner.charge),
    saveMethod: sends('saveMethod', inner.saveMethod),
    chargeSaved: sends('chargeSaved', inner.chargeSaved),
    capture: sends('capture', inner.capture),
    refund: sends('refund', inner.refund),
    release: sends('release', inner.release),
    lookUp: async (sent, call) => {
      if (note('lookUp', sent.request.paymentId) !== 'answered') throw new Error('the processor broke the connection');
      return await inner.lookUp(sent, call);
    },
    ...(inner.clientSecret && { clientSecret: inner.clientSecret }),
    readDispute: (reference, call) => inner.readDispute(reference, call),
    list: (from, to, call) => {
      if (note('list', null) !== 'answered') throw new Error('the processor broke the connection');
      return inner.list(from, to, call);
    },
  };
}

/** @param arrive delivers it whatever becomes of the caller; `deliver` as the caller called */
async function through(
  fault: Fault,
  arrive: () => Promise<SentOutcome>,
  deliver: () => Promise<SentOutcome>,
  signal: AbortSignal,
  clock: FakeClock | undefined,
): Promise<SentOutcome> {
  switch (fault) {
    case 'answered':
      return await deliver();
    case 'throws_before':
      throw new Error('the connection to the processor failed');
    case 'not_done':
      return { status: 'not_done', why: 'no_connection', message: 'No connection to the processor could be made.' };
    case 'throws_after':
      await arrive();
      throw new Error('the processor broke the connection');
    case 'answer_lost':
      await arrive();
      return await silence(signal);
    case 'request_lost':
    case 'late':
      return await silence(signal);
    case 'doubled':
      await deliver();
      return await deliver();
    case 'raced':
      return (await Promise.all([deliver(), deliver()]))[0];
    case 'answered_a_day_late': {
      if (clock === undefined) throw new Error('answered_a_day_late needs the clock');
      const outcome = await deliver();
      clock.advance(24 * 3_600_000);
      return outcome;
    }
  }
}

const silence = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });

/** One fault for each call in turn; later calls are answered. */
export function scripted(...faults: readonly Fault[]): () => Fault {
  let next = 0;
  return () => faults[next++] ?? 'answered';
}

/**
 * Faults drawn from a seeded random source.
 * @param random in [0, 1), such as `seededRandom`
 * @param share of calls that have a fault at all, in [0, 1]
 */
export function randomFaults(random: () => number, share: number, faults: readonly Fault[]): () => Fault {
  return () => (random() < share ? (faults[Math.floor(random() * faults.length)] ?? 'answered') : 'answered');
}

/** The same numbers in [0, 1) for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const drawn = items.map((item) => ({ item, at: random() }));
  return drawn.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}
