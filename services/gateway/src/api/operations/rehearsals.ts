import { advanceRehearsal, getRehearsal } from '@app/contracts/daily-runs';
import { forwardOperation } from '../forward-operation.ts';
import { defineOperation, tagged } from '../operation.ts';

export const rehearsalOperations = tagged('Rehearsals', [
  forwardOperation(getRehearsal, {
    id: 'getRehearsal',
    method: 'GET',
    path: '/api/v1/rehearsal',
    summary: 'Read the time of the account’s rehearsals',
    description:
      'Rehearsals have a clock of their own, which `advanceRehearsal` moves forward: days ahead of real time.',
    errors: [],
  }),
  defineOperation({
    id: 'advanceRehearsal',
    audit: false,
    method: 'POST',
    path: '/api/v1/rehearsal/advance',
    summary: 'Let days pass for the account’s rehearsals',
    description:
      'Moves the time of rehearsals, and runs the daily job of each day for test subscriptions: renewals, declines, retries ' +
      'and cancellations reach the webhook URL, marked `x-service-test: 1`. No money moves; live subscriptions, lists and ' +
      'metrics stay as they are. The time does not go back. After an error, the request repeated with its Idempotency-Key ' +
      'goes on to the day it was requested.',
    auth: 'account',
    scope: 'money',
    body: advanceRehearsal.input.shape.body,
    response: advanceRehearsal.output,
    errors: ['invalid_transition'],
    longestMs: advanceRehearsal.timeoutMs,
    run: ({ app, body, context }) => app.requester.requestBytes(advanceRehearsal, { body }, context),
  }),
]);
