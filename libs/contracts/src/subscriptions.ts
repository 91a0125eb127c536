import { z } from 'zod';
import { billingInterval } from './catalog.ts';
import { listOf, pageQueryOf, timestamp } from './common.ts';
import { defineEvent, defineRequest } from './define.ts';
import { idSchema } from './ids.ts';

export const subscriptionStatus = z.enum(['active', 'past_due', 'paused', 'canceled']);

/** `automatic` renews by itself; `external` is collected by the seller and never charged by us. */
export const collectionMethod = z.enum(['automatic', 'external']);

export const subscriptionResource = z
  .object({
    id: idSchema('subscription'),
    order_id: idSchema('order'),
    product_id: idSchema('product'),
    product_name: z.string(),
    customer_email: z.string(),
    amount_cents: z.int(),
    currency: z.string(),
    billing_interval: billingInterval,
    status: subscriptionStatus,
    collection: collectionMethod,
    started_at: timestamp,
    current_period_end: timestamp,
    canceled_at: timestamp.nullable(),
  })
  .meta({ id: 'Subscription' });

export const listSubscriptions = defineRequest('read', 'billing', 'subscriptions.list', {
  input: pageQueryOf(idSchema('subscription')),
  output: listOf(subscriptionResource),
});
export const getSubscription = defineRequest('read', 'billing', 'subscriptions.get', {
  input: z.object({ subscriptionId: z.string() }),
  output: subscriptionResource,
});

/** An order of a subscription product started a subscription. */
export const subscriptionStarted = defineEvent(
  'billing',
  'subscription.started',
  1,
  z.object({
    subscriptionId: z.string(),
    orderId: z.string(),
    productId: z.string(),
    customerEmail: z.string(),
    amountCents: z.int(),
    currency: z.string(),
    billingInterval,
    startedAt: timestamp,
    test: z.boolean(),
  }),
);

/** The seller ended a subscription, or refunded the order that it was born from. */
export const subscriptionCanceled = defineEvent(
  'billing',
  'subscription.canceled',
  1,
  z.object({
    subscriptionId: z.string(),
    orderId: z.string(),
    productId: z.string(),
    productName: z.string(),
    customerEmail: z.string(),
    amountCents: z.int(),
    currency: z.string(),
    billingInterval,
    /** What the subscription was worth a month: a yearly price ÷ 12, half up. */
    mrrCents: z.int(),
    canceledAt: timestamp,
    test: z.boolean(),
  }),
);

export const dailyResult = z
  .object({
    ok: z.boolean(),
    rebills: z.object({ charged: z.int(), chargedCents: z.int(), retried: z.int(), canceled: z.int() }),
    recovery: z.object({ sent: z.int(), recovered: z.int() }),
    holdsSettled: z.int(),
  })
  .meta({ id: 'DailyResult' });
export type DailyResult = z.infer<typeof dailyResult>;

/** The daily run of one account, or of every account of the deployment when `accountId` is null. */
export const startDailyRun = defineRequest('command', 'billing', 'daily-runs.run', {
  input: z.object({ accountId: z.string().nullable() }),
  output: dailyResult,
});

export const dailyRunResource = z
  .object({ id: z.string(), started_at: timestamp, finished_at: timestamp.nullable(), result: dailyResult.nullable() })
  .meta({ id: 'DailyRun' });
export const listDailyRuns = defineRequest('read', 'billing', 'daily-runs.list', {
  input: pageQueryOf(idSchema('dailyRun')),
  output: listOf(dailyRunResource),
});
