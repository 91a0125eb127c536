import type { PaymentProcessor, ProcessorCall, ProcessorRecord, SavedMethodRequest, SentOutcome } from './port.ts';
import { NothingDoneError } from './port.ts';
import type { AccountProcessor, Processors } from './processor-registry.ts';

/** Also the code of the error with which a request ends that waited for a slot when the key was refused. */
export const keyRefusedCode = 'key_refused';

/** What one run of an account knows of the account's API key. */
export interface KeyRefusal {
  /** The name of the processor that did not accept it; null until one has not. */
  by: string | null;
  /** What it may not do, in plain words, as far as the run has found. */
  readonly lacked: Set<string>;
  /** It may not charge: the run begins no renewal more. */
  mayNotCharge: boolean;
}

export const newKeyRefusal = (): KeyRefusal => ({ by: null, lacked: new Set(), mayNotCharge: false });

/**
 * Processors that send nothing any more once one of them has refused the account's key: what a call would send then is not done
 * for the same reason.
 */
export function untilKeyRefused(processors: Processors, refusal: KeyRefusal): Processors {
  const guarded = (one: AccountProcessor): AccountProcessor => ({ ...one, processor: guard(one.processor, refusal) });
  return {
    chosen: async (...of) => guarded(await processors.chosen(...of)),
    named: async (...of) => guarded(await processors.named(...of)),
    takesRenewals: (...of) => processors.takesRenewals(...of),
    renewalsAtOnce: (name) => processors.renewalsAtOnce(name),
  };
}

const refusedText = 'The API key was refused a moment ago, so nothing more was sent with it.';

function guard(processor: PaymentProcessor, refusal: KeyRefusal): PaymentProcessor {
  const note = <T>(answer: T, isRefused: boolean): T => {
    if (isRefused) refusal.by ??= processor.name;
    return answer;
  };
  const noteLack = (message: string): void => void refusal.lacked.add(message);
  const isRefusedBy = (err: unknown): boolean => err instanceof NothingDoneError && err.why === keyRefusedCode;
  const requireAccepted = (): void => {
    if (refusal.by !== null)
      throw Object.assign(new NothingDoneError(keyRefusedCode, refusedText), { code: keyRefusedCode });
  };
  /** Requests that wait for a slot are not sent either. */
  const waiting = (call: ProcessorCall): ProcessorCall => {
    const { untimed } = call;
    if (untimed === undefined) return call;
    return {
      ...call,
      untimed: async (wait) => {
        const waited = await untimed(wait);
        requireAccepted();
        return waited;
      },
    };
  };
  const sending =
    <Request>(send: (request: Request, call: ProcessorCall) => Promise<SentOutcome>) =>
    async (request: Request, call: ProcessorCall): Promise<SentOutcome> => {
      if (refusal.by !== null) return { status: 'not_done', why: keyRefusedCode, message: refusedText };
      const outcome = await send(request, waiting(call));
      if (outcome.status === 'not_done' && outcome.why === 'not_permitted') noteLack(outcome.message);
      return note(outcome, outcome.status === 'not_done' && outcome.why === keyRefusedCode);
    };
  const reading = async <T>(read: () => Promise<T>): Promise<T> => {
    requireAccepted();
    try {
      return await read();
    } catch (err) {
      if (err instanceof NothingDoneError && err.why === 'not_permitted') noteLack(err.message);
      throw note(err, isRefusedBy(err));
    }
  };
  const chargeSaved = sending((request: SavedMethodRequest, call) => processor.chargeSaved(request, call));
  return {
    name: processor.name,
    ...(processor.findsMadeRefunds && { findsMadeRefunds: true as const }),
    authorize: sending((request, call) => processor.authorize(request, call)),
    charge: sending((request, call) => processor.charge(request, call)),
    saveMethod: sending((request, call) => processor.saveMethod(request, call)),
    chargeSaved: async (request, call) => {
      const outcome = await chargeSaved(request, call);
      refusal.mayNotCharge ||= outcome.status === 'not_done' && outcome.why === 'not_permitted';
      return outcome;
    },
    capture: sending((request, call) => processor.capture(request, call)),
    refund: sending((request, call) => processor.refund(request, call)),
    release: sending((request, call) => processor.release(request, call)),
    lookUp: (sent, call) => reading(() => processor.lookUp(sent, call)),
    readDispute: (reference, call) => reading(() => processor.readDispute(reference, call)),
    list: (from, to, call) => {
      const onNotPermitted = call.onNotPermitted && noteLack;
      return listed(processor.list(from, to, { ...call, ...(onNotPermitted && { onNotPermitted }) }), reading);
    },
  };
}

async function* listed(
  records: AsyncIterable<ProcessorRecord>,
  reading: <T>(read: () => Promise<T>) => Promise<T>,
): AsyncGenerator<ProcessorRecord> {
  const rest = records[Symbol.asyncIterator]();
  try {
    while (true) {
      const next = await reading(() => rest.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}
