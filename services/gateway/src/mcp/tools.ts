import { annotations, operation, type Tool } from './tool.ts';

const { reads, adds, changes, sends, tells, ends, charges } = annotations;

/** Few enough that rows keep their texts in 20 KB: a well-filled order is 0.9 KB, and a result holds it twice. */
const shortPage = { limit: 10 };

const offerKinds = (verb: string) => ({ bump: operation(`${verb}Bump`), upsell: operation(`${verb}Upsell`) });

/** Every tool, in the order in which clients see them. */
export const tools: readonly Tool[] = [
  {
    name: 'list_products',
    description: 'Newest first, 10 by default; prices in minor units (4900 is 49.00).',
    operation: operation('listProducts'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_product',
    description: 'One product by its id.',
    operation: operation('getProduct'),
    annotations: reads,
  },
  {
    name: 'create_product',
    description: 'Starts as a draft unless `status` says `live`; only live products can be sold.',
    operation: operation('createProduct'),
    annotations: adds,
  },
  {
    name: 'update_product',
    description: 'Changes the fields given. `status: "live"` puts it on sale, `"archived"` takes it off sale.',
    operation: operation('updateProduct'),
    annotations: changes,
  },
  {
    name: 'get_funnel',
    description: 'Order bumps, upsells, old downsells and post-purchase emails of a product.',
    operation: operation('getFunnel'),
    annotations: reads,
  },
  {
    name: 'create_offer',
    description: 'A bump is offered at the checkout, an upsell after the purchase.',
    operation: operation('createBump'),
    kinds: offerKinds('create'),
    annotations: adds,
  },
  {
    name: 'update_offer',
    description: 'Changes the fields given. `active: 0` stops offering it and keeps it. Past orders stay as they are.',
    operation: operation('updateBump'),
    kinds: offerKinds('update'),
    annotations: changes,
  },
  {
    name: 'delete_offer',
    description: 'Removes it for good; to stop offering it, set `active: 0` with update_offer.',
    operation: operation('deleteBump'),
    kinds: offerKinds('delete'),
    annotations: changes,
  },
  {
    name: 'list_orders',
    description:
      'Newest first, 10 by default, test orders left out. While `has_more` is true, ask again ' +
      'with `before` set to the last id.',
    operation: operation('listOrders'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_order',
    description: 'One order with its items and, as list_payments shows them, its payments.',
    operation: operation('getOrder'),
    annotations: reads,
  },
  {
    name: 'create_order',
    description:
      'Records a sale whose money was taken elsewhere; it charges nobody. It counts at once and the seller’s webhook ' +
      'gets `order.paid`. Two calls are two orders: send the same `idempotencyKey` when you repeat one.',
    operation: operation('createOrder'),
    annotations: sends,
  },
  {
    name: 'refund_order',
    description:
      'Gives every charge of a paid order back, ends its subscription and voids its commission; one recorded from ' +
      'elsewhere moves no money. Asks for `confirm: true`.',
    operation: operation('refundOrder'),
    confirmation:
      'This refunds the whole order: every charge of it goes back to the buyer’s card, its subscription ends and its ' +
      'commission is voided. It cannot be undone. When the seller agrees, call again with confirm: true.',
    annotations: charges,
  },
  {
    name: 'list_payments',
    description: 'Every try to move money, newest first, 10 by default: what the processor said and what happens next.',
    operation: operation('listPayments'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_metrics',
    description:
      'Revenue, orders, take rates, subscriptions and refunds of one product. Rates are fractions from 0 to 1.',
    operation: operation('getMetrics'),
    annotations: reads,
  },
  {
    name: 'explain_metric',
    description: 'A number’s formula, its parts and the facts that add up to them, 10 by default.',
    operation: operation('explainMetric'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'list_subscriptions',
    description: 'Newest first, 10 by default.',
    operation: operation('listSubscriptions'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_subscription',
    description: 'One subscription with its periods and, as list_payments shows them, every try to charge a renewal.',
    operation: operation('getSubscription'),
    annotations: reads,
  },
  {
    name: 'cancel_subscription',
    description: 'Ends it now, for good. To stop renewals for a while, use pause_subscription.',
    operation: operation('cancelSubscription'),
    annotations: ends,
  },
  {
    name: 'pause_subscription',
    description: 'Stops renewals and tries until resume_subscription.',
    operation: operation('pauseSubscription'),
    annotations: tells,
  },
  {
    name: 'resume_subscription',
    description: 'Renews on its date, or with the next daily job when that has passed. Paused time is not billed.',
    operation: operation('resumeSubscription'),
    annotations: tells,
  },
  {
    name: 'update_payment_method',
    description: 'Renewals go to this card. A past-due one is tried once for free by the next daily job.',
    operation: operation('putPaymentMethod'),
    annotations: changes,
  },
  {
    name: 'list_affiliates',
    description: 'Affiliates with their codes and commissions.',
    operation: operation('listAffiliates'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'create_affiliate',
    description: 'Give either `commissionPercent` or `commissionCents`.',
    operation: operation('createAffiliate'),
    annotations: adds,
  },
  {
    name: 'get_affiliate_statement',
    description: 'What an affiliate earned, lost and was paid; `balances` say what is pending, due and paid.',
    operation: operation('getAffiliateStatement'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'pay_affiliate',
    description: 'Records a payout of what is due; it moves no money. Asks for `confirm: true`.',
    operation: operation('createPayout'),
    confirmation:
      'This records what is due (`due_cents`), and with includePending what is pending too, as paid to the affiliate, who ' +
      'the seller pays elsewhere. It cannot be undone. When the seller agrees, call again with confirm: true.',
    preview: { operation: operation('getAffiliateStatement'), fields: ['balances'] },
    annotations: sends,
  },
  {
    name: 'list_payouts',
    description: 'Newest first, 10 by default.',
    operation: operation('listPayouts'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_settings',
    description: 'Business name, support email, currency, test mode and waiting times.',
    operation: operation('getSettings'),
    annotations: reads,
  },
  {
    name: 'get_webhook_endpoint',
    description: 'The URL that gets the account’s events.',
    operation: operation('getWebhookEndpoint'),
    annotations: reads,
  },
  {
    name: 'set_webhook_endpoint',
    description: 'Replaces the connected URL. The answer that first connects one holds the signing secret, this once.',
    operation: operation('putWebhookEndpoint'),
    annotations: changes,
  },
  {
    name: 'list_activity',
    description: 'Webhook delivery attempts and notices, newest first, 10 by default.',
    operation: operation('listActivity'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'run_daily_job',
    description: 'Runs the day’s collections, which charge buyers, and answers its counts. Asks for `confirm: true`.',
    operation: operation('runDailyJob'),
    confirmation:
      'This runs the day’s collections for the account now: renewals and retries that are due are charged, holds that are ' +
      'due are captured, and stalled checkouts get a reminder. When the seller agrees, call again with confirm: true.',
    preview: { operation: operation('previewDailyRun'), fields: ['totals', 'charge_limit'] },
    annotations: charges,
  },
  {
    name: 'preview_daily_run',
    description: 'What run_daily_job would do now: totals, and the first steps.',
    operation: operation('previewDailyRun'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'list_daily_runs',
    description: 'Newest first, 10 by default. One under way has no `result`.',
    operation: operation('listDailyRuns'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'advance_rehearsal',
    description:
      'Lets days pass for test subscriptions: renewals, retries and cancellations reach the webhook. No money moves.',
    operation: operation('advanceRehearsal'),
    annotations: sends,
  },
];
