import type { FactsOf } from '../../ledger/write-facts.ts';
import type { PaymentProcessor, ProcessorCall } from '../../processors/port.ts';

/** A processor whose list is read, and how. */
export interface Listed {
  readonly processor: PaymentProcessor;
  readonly call: Omit<ProcessorCall, 'signal'>;
}

/** One reading of a processor's list: what it showed stands in the ledger. */
export interface Reading extends FactsOf {
  /** When it began. */
  readonly at: Date;
  /** Where the list begins that it reads. */
  readonly from: Date;
}
