import type { PaymentProcessor, PaymentRequest, ProcessorCall, SentOutcome } from './port.ts';
import type { Processors } from './processor-registry.ts';

/** What is sent, of whom and where to. */
type Sent = PaymentRequest & {
  readonly accountId: string;
  /** Its name. */
  readonly processor: string;
  readonly test: boolean;
};

/**
 * Sends a payment to the processor that it names, with the account's keys there.
 * @throws what the adapter throws, and `UnusableProcessorError` where nothing can be sent there
 */
export async function sendRequest(
  processors: Pick<Processors, 'named'>,
  sent: Sent,
  how: Pick<ProcessorCall, 'signal' | 'mayLeave' | 'isBackground' | 'untimed'>,
): Promise<SentOutcome> {
  const { accountId, test } = sent;
  const { processor, ...keys } = await processors.named(sent.processor, accountId, test);
  return await call(processor, sent, { accountId, ...keys, test, ...how });
}

/** Each case has the pair of a call and its request; of all together the compiler knows no pair. */
async function call(processor: PaymentProcessor, what: PaymentRequest, how: ProcessorCall): Promise<SentOutcome> {
  switch (what.call) {
    case 'authorize':
    case 'charge':
    case 'saveMethod':
      return await processor[what.call](what.request, how);
    case 'chargeSaved':
      return await processor.chargeSaved(what.request, how);
    default:
      return await processor[what.call](what.request, how);
  }
}
