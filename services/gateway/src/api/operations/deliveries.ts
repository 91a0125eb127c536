import { getDelivery, listActivity, listDeliveries, listEvents } from '@app/contracts/webhook-deliveries';
import { z } from 'zod';
import { forwardOperation } from '../forward-operation.ts';
import { tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';

const deliveries = '/api/v1/webhook-deliveries';

export const deliveryOperations = tagged('Webhooks', [
  forwardOperation(listActivity, {
    id: 'listActivity',
    method: 'GET',
    path: '/api/v1/activity',
    summary: 'Recent activity: every delivery attempt and every notice, newest first',
    description:
      'One line for each attempt, with what was wrong and what to do, and for each notice. Kept for 13 months. With `email` the lines come by their events, newest first; filters of events and buyers leave notices out.',
    errors: [],
  }),
  forwardOperation(listDeliveries, {
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: deliveries,
    summary: 'List deliveries: each event on its way to each endpoint, newest first',
    description:
      'Each says in `reason` why nothing was sent, when nothing was, or when it is tried next. Kept for 13 months. With `eventId`, `orderId` or `email` they come by their events, newest first.',
    errors: [],
  }),
  forwardOperation(getDelivery, {
    id: 'getWebhookDelivery',
    method: 'GET',
    path: `${deliveries}/{deliveryId}`,
    summary: 'Read one delivery with its attempts, their answers and the payload',
    description: 'What was sent, each answer with its times, what was wrong with it and what to do.',
    params: z.object({ deliveryId: pathId('delivery', 'delivery_not_found') }),
    errors: ['delivery_not_found'],
  }),
  forwardOperation(listEvents, {
    id: 'listEvents',
    method: 'GET',
    path: '/api/v1/events',
    summary: 'Read the account’s events in the order in which they were committed',
    description:
      'For a receiver that was broken and catches up by itself: keep the last id that you have read here, and read what comes after it. Webhooks come in no order, so the id that one brought last may have passed by an event that failed. To begin, leave `after` out, for the oldest that is kept, or take the id of an event from well before the fault, and drop ids that you have seen. No event appears later with a smaller `sequence` than one that was read. A page of long payloads ends before `limit`: go on while `has_more`. Payloads are kept for 30 days, the rest for 13 months; test sends are not in it. With `order=desc` it goes backwards from the newest, by `before`: what happened last, for people.',
    errors: [],
  }),
]);
