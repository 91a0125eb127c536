import { z } from 'zod';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { holdResult } from './payments.ts';

/**
 * Ends a hold without a charge, unless a payment of it is under way or took money: then the result says so, and nothing is changed.
 * Idempotent by order: a hold that was released is not released again.
 */
export const releaseHold = defineRequest('command', 'billing', 'holds.release', {
  input: z.object({ orderId: idSchema('order') }),
  output: holdResult,
});
