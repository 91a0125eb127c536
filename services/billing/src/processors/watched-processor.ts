import { type RecordSeconds, secondsHistogram } from '@app/service-kit/metrics';
import { errorTypeOf, inSpan } from '@app/service-kit/tracing';
import { type Attributes, SpanKind } from '@opentelemetry/api';
import type { PaymentProcessor } from './port.ts';

/** Calls of the port that wait for the processor once; `list` is many. */
const watched = [
  ...['authorize', 'charge', 'saveMethod', 'chargeSaved', 'capture', 'refund', 'release', 'lookUp', 'readDispute'],
] as const satisfies readonly (keyof PaymentProcessor)[];
type Watched = (typeof watched)[number];

/**
 * The processor, with a span and a duration for each call of it: by processor, by what was asked, and by how it ended, which is the
 * payment's outcome, or an error.
 */
export function watchProcessor<P extends PaymentProcessor>(processor: P): P {
  const record = secondsHistogram('billing', {
    name: 'payment_processor.call.duration',
    description:
      'Of calls of payment processors that this replica made, by processor, operation and outcome; an error is an outcome that is looked up.',
  });
  const calls = Object.fromEntries(
    watched.map((operation) => [operation, watchedCall(processor, operation, record)] as const),
  );
  return new Proxy(processor, {
    get: (target, name) => {
      if (Object.hasOwn(calls, name)) return calls[name as Watched];
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}

function watchedCall(processor: PaymentProcessor, operation: Watched, record: RecordSeconds | undefined) {
  const attributes: Attributes = { 'payment.processor': processor.name, 'payment.operation': operation };
  const span = { service: 'billing', kind: SpanKind.CLIENT, attributes };
  const call = processor[operation].bind(processor) as (...given: unknown[]) => Promise<{ status?: string } | null>;
  return async (...given: unknown[]): Promise<unknown> => {
    const startedMs = performance.now();
    let outcome = 'error';
    try {
      return await inSpan(`${processor.name} ${operation}`, span, async (open) => {
        const answer = await call(...given);
        outcome = answer?.status ?? 'none';
        open?.setAttribute('payment.outcome', outcome);
        return answer;
      });
    } catch (err) {
      outcome = errorTypeOf(err) ?? 'refused';
      throw err;
    } finally {
      record?.((performance.now() - startedMs) / 1_000, { ...attributes, 'payment.outcome': outcome });
    }
  };
}
