import { type DyingProcess as Dying, dyingAt as dyingAtSeam } from '@app/testing/dying-process';
import type { PaymentProcessor } from '../src/processors/port.ts';
import type { Wrap } from './payment-replicas.ts';

export interface DyingProcess extends Wrap {
  /** Whether it has come to where it dies. */
  readonly dead: boolean;
}

/**
 * A process of billing that is killed at one of its seams: before or after one of its statements, or of its calls of the
 * processor. From then on neither database nor processor is notified of it.
 * @param seam counted from 1: odd ones are before a statement or call, even ones after it, as long as they do not overlap
 */
export function dyingAt(seam: number): DyingProcess {
  const dying = dyingAtSeam(seam);
  return {
    get dead() {
      return dying.dead;
    },
    database: dying.database,
    processor: (inner) => processorOf(inner, dying.between),
  };
}

function processorOf(inner: PaymentProcessor, between: Dying['between']): PaymentProcessor {
  return {
    name: inner.name,
    ...(inner.findsMadeRefunds && { findsMadeRefunds: true }),
    authorize: (request, call) => between(() => inner.authorize(request, call)),
    charge: (request, call) => between(() => inner.charge(request, call)),
    saveMethod: (request, call) => between(() => inner.saveMethod(request, call)),
    chargeSaved: (request, call) => between(() => inner.chargeSaved(request, call)),
    capture: (request, call) => between(() => inner.capture(request, call)),
    refund: (request, call) => between(() => inner.refund(request, call)),
    release: (request, call) => between(() => inner.release(request, call)),
    lookUp: (sent, call) => between(() => inner.lookUp(sent, call)),
    readDispute: (reference, call) => between(() => inner.readDispute(reference, call)),
    list: (from, to, call) => inner.list(from, to, call),
  };
}
