import { z } from 'zod';
import { defineRequest } from './define.ts';

/** What a payment processor sent about an account's payments. The account comes from the address it was sent to. */
export const receiveProcessorEvent = defineRequest('command', 'billing', 'processor-events.receive', {
  input: z.object({
    processor: z.literal('stripe'),
    /** The bytes that the signature is of, in base64. */
    body: z.string(),
    signature: z.string(),
  }),
  /** False: nothing was signed with a secret of the account, or not within the last minutes. It is stored where true. */
  output: z.object({ accepted: z.boolean() }),
});
