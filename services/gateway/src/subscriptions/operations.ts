import { listOf } from '@app/contracts/common';
import { getSubscription, listSubscriptions, subscriptionResource } from '@app/contracts/subscriptions';
import { z } from 'zod';
import { defineOperation } from '../http/operation.ts';
import { pathId } from '../http/path-params.ts';

const tag = 'Subscriptions';

export const subscriptionOperations = [
  defineOperation({
    id: 'listSubscriptions',
    method: 'GET',
    path: '/api/v1/subscriptions',
    tag,
    summary: 'List subscriptions, newest first',
    auth: 'account',
    scope: 'read',
    query: listSubscriptions.input,
    response: listOf(subscriptionResource),
    errors: [],
    run: ({ app, query, context }) => app.requester.requestBytes(listSubscriptions, query, context),
  }),
  defineOperation({
    id: 'getSubscription',
    method: 'GET',
    path: '/api/v1/subscriptions/{subscriptionId}',
    tag,
    summary: 'Read one subscription',
    auth: 'account',
    scope: 'read',
    params: z.object({ subscriptionId: pathId('subscription', 'subscription_not_found') }),
    response: subscriptionResource,
    errors: ['subscription_not_found'],
    run: ({ app, params, context }) => app.requester.requestBytes(getSubscription, params, context),
  }),
];
