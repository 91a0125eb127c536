import { getSubscription, listSubscriptions } from '@app/contracts/subscriptions';
import { z } from 'zod';
import { forwardOperation } from '../operations/forward-operation.ts';
import { pathId } from '../operations/path-params.ts';

const tag = 'Subscriptions';

export const subscriptionOperations = [
  forwardOperation(listSubscriptions, {
    id: 'listSubscriptions',
    method: 'GET',
    path: '/api/v1/subscriptions',
    tag,
    summary: 'List subscriptions, newest first',
    errors: [],
  }),
  forwardOperation(getSubscription, {
    id: 'getSubscription',
    method: 'GET',
    path: '/api/v1/subscriptions/{subscriptionId}',
    tag,
    summary: 'Read one subscription',
    params: z.object({ subscriptionId: pathId('subscription', 'subscription_not_found') }),
    errors: ['subscription_not_found'],
  }),
];
