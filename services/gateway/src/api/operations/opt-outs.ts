import { getOptOut, optOut } from '@app/contracts/reminders';
import { z } from 'zod';
import { defineOperation, tagged } from '../operation.ts';

const common = {
  auth: 'visitor',
  path: '/api/checkout/opt-outs/{token}',
  // Tokens have 43 characters of base64url; longer ones may come.
  params: z.object({
    token: z
      .string()
      .regex(/^[\w-]{20,200}$/)
      .describe('The end of the link in the reminder.'),
  }),
  errors: ['not_found'],
} as const;

/** What the link of a reminder does. None of it is a tool: the buyer alone has the token. */
export const optOutOperations = tagged('Checkout', [
  defineOperation({
    ...common,
    id: 'getOptOut',
    method: 'GET',
    summary: 'Read whose reminders a link ends',
    description: 'The seller’s name, and whether their reminders to this buyer have ended. It changes nothing.',
    response: getOptOut.output,
    run: ({ app, params, context }) => app.requester.requestBytes(getOptOut, params, context),
  }),
  defineOperation({
    ...common,
    id: 'optOut',
    method: 'POST',
    summary: 'End a seller’s reminders to a buyer',
    description: 'For good. A repetition changes nothing and gets the same answer. Receipts are still sent.',
    response: optOut.output,
    run: ({ app, params, context }) => app.requester.requestBytes(optOut, params, context),
  }),
]);
