import { z } from 'zod';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { holdResult, startPayment } from './payments.ts';
import { processorCalls } from './time-outs.ts';

/**
 * Ends a hold without a charge, unless a payment of it is under way or took money: then the result says so, and nothing is changed.
 * Idempotent by order: a hold that was released is not released again. Where billing has no hold, as after a restored backup, the attempt is
 * looked up at the processor: a hold that is found there is released, and one that has ended there counts as released.
 */
export const releaseHold = defineRequest('command', 'billing', 'holds.release', {
  input: z.object({
    orderId: idSchema('order'),
    /** That the card is held for; requests of earlier versions lack it. */
    attempt: startPayment.input.omit({ paymentMethod: true }).optional(),
  }),
  output: holdResult,
  ...processorCalls(2),
});
