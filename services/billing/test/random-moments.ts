import fc from 'fast-check';
import { databases } from './backups.ts';
import type { Fault } from './processors/faulty-processor.ts';
import type { StripeFault } from './stripe/stripe-stand-in.ts';

/** Of the processor's next calls. Some are never answered, and some requests never arrive. */
const faults = [
  'throws_before',
  'not_done',
  'throws_after',
  'doubled',
  'raced',
  'late',
  'answer_lost',
  'request_lost',
] as const satisfies readonly Fault[];

/** Of the next requests that reach Stripe. What ends with the deadline alone is rarer, because it takes so long. */
const loud = [
  ...(['rate_limited', 'broken_before', 'broken_after', 'error_after', 'html_after', 'doubled'] as const),
] satisfies readonly StripeFault[];
const silent = ['silent_before', 'silent_after', 'late'] as const satisfies readonly StripeFault[];

/** What else happens at one moment of a random history, beside what is requested of billing then. */
export interface Surroundings {
  readonly faults: readonly (typeof faults)[number][];
  /** Faults of single requests, where the processor is reached by a network. */
  readonly requestFaults: readonly StripeFault[];
  /** What becomes of the database before: a backup of it is taken, or billing is started anew on the last one. */
  readonly database: (typeof databases)[number];
  /** The seam at which replica 0 is killed; it is started anew afterwards. */
  readonly killed: number | null;
  readonly deliverLate: boolean;
  /** Until the next moment. */
  readonly passMs: number;
}

/** Each moment has all of these: at most so many faults, a kill at one of the first seams, one of these waits after it. */
export const surroundings = (most: { faults: number; seam: number }, waitsMs: readonly number[]) => ({
  faults: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...faults), { maxLength: most.faults }) },
  ),
  requestFaults: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...loud, ...loud, ...silent), { maxLength: 4 }) },
  ),
  database: fc.constantFrom(...databases),
  killed: fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: most.seam }) },
  ),
  deliverLate: fc.boolean(),
  passMs: fc.constantFrom(...waitsMs),
});
