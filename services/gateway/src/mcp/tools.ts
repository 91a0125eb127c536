import { annotations, operation, shortPage, type Tool } from './tool.ts';
import { webhookTools } from './webhook-tools.ts';

const { reads, adds, changes, sends, repeats, ends, charges } = annotations;

const offerKinds = (verb: string) => ({ bump: operation(`${verb}Bump`), upsell: operation(`${verb}Upsell`) });

/** Every tool, in the order in which clients see them. */
export const tools: readonly Tool[] = [
  {
    name: 'list_products',
    description: 'Newest first; 4900 is 49.00.',
    operation: operation('listProducts'),
    unsaid: ['full'],
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_product',
    description: 'One product.',
    operation: operation('getProduct'),
    unsaid: ['full'],
    annotations: reads,
  },
  {
    name: 'create_product',
    description: 'A draft unless `status` is `live`; only live ones can be sold.',
    operation: operation('createProduct'),
    annotations: adds,
  },
  {
    name: 'update_product',
    description: '`live` puts it on sale, `archived` takes it off.',
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
    description: '`active: false` stops offering it.',
    operation: operation('updateBump'),
    kinds: offerKinds('update'),
    annotations: changes,
  },
  {
    name: 'delete_offer',
    description: 'For good.',
    operation: operation('deleteBump'),
    kinds: offerKinds('delete'),
    annotations: changes,
  },
  {
    name: 'list_orders',
    description: 'Newest first, no test orders; `q` is an email, id or name.',
    operation: operation('listOrders'),
    unsaid: ['status', 'productId', 'from', 'to', 'affiliateCode'],
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_order',
    description: 'With its items and payments.',
    operation: operation('getOrder'),
    unsaid: ['full'],
    annotations: reads,
  },
  {
    name: 'create_order',
    description: 'Records a sale that was paid elsewhere; sends `order.paid`.',
    operation: operation('createOrder'),
    words: { paymentMethod: 'Processor token for renewals.', test: 'In no list and no metric.' },
    unsaid: ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
    annotations: sends,
  },
  {
    name: 'refund_order',
    description:
      'Gives every charge back (`renewals: true`: renewals too), ends the subscription, voids the commission. Needs ' +
      '`confirm: true`.',
    unsaid: ['renewals'],
    operation: operation('refundOrder'),
    confirmation:
      'This refunds the whole order: every charge of it goes back to the buyer’s card, its subscription ends and its ' +
      'commission is voided. It cannot be undone. When the seller agrees, call again with confirm: true.',
    preview: {
      operation: operation('previewRefund'),
      fields: ['possible', 'charges', 'subscription', 'commissions', 'emails', 'webhooks'],
    },
    annotations: charges,
  },
  {
    name: 'release_order',
    description: 'Ends an `authorized` order without a charge: its hold is released. Needs `confirm: true`.',
    operation: operation('releaseOrder'),
    confirmation:
      'This ends the order without a charge: the money that is held on the buyer’s card is free again, and the sale is lost. It ' +
      'cannot be undone. When the seller agrees, call again with confirm: true.',
    annotations: ends,
  },
  {
    name: 'list_payments',
    description: 'Newest first.',
    operation: operation('listPayments'),
    unsaid: ['full'],
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_overview',
    description: 'Money and visits of all products over UTC days, beside the days before.',
    operation: operation('getOverview'),
    unsaid: ['full', 'limit'],
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_metrics',
    description: 'Sales figures of one product. Rates are fractions from 0 to 1.',
    operation: operation('getMetrics'),
    unsaid: ['full'],
    annotations: reads,
  },
  {
    name: 'explain_metric',
    description: 'A number’s formula, parts and facts.',
    operation: operation('explainMetric'),
    words: { metric: 'A name in the `summary` of get_metrics, or `churn`, which needs a month.', month: '`YYYY-MM`' },
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'list_subscriptions',
    description: 'Newest first.',
    operation: operation('listSubscriptions'),
    unsaid: ['full', 'collection'],
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_subscription',
    description: 'With its periods and every attempt to charge a renewal.',
    operation: operation('getSubscription'),
    annotations: reads,
  },
  {
    name: 'cancel_subscription',
    description: 'For good; before its `period_end` keep_subscription undoes it.',
    operation: operation('cancelSubscription'),
    annotations: ends,
  },
  {
    name: 'keep_subscription',
    description: 'It renews again.',
    operation: operation('keepSubscription'),
    annotations: changes,
  },
  {
    name: 'pause_subscription',
    description: 'Stops renewals and attempts until resume_subscription.',
    operation: operation('pauseSubscription'),
    annotations: repeats,
  },
  {
    name: 'resume_subscription',
    description: 'Paused time is not billed: it renews on its date, or now.',
    operation: operation('resumeSubscription'),
    annotations: repeats,
  },
  {
    name: 'update_payment_method',
    description: 'For renewals; the next daily job tries a past-due one.',
    operation: operation('putPaymentMethod'),
    words: { paymentMethod: 'Processor token.' },
    annotations: changes,
  },
  {
    name: 'list_affiliates',
    description: 'Newest first.',
    operation: operation('listAffiliates'),
    unsaid: ['full'],
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'create_affiliate',
    description: 'Give either `commissionPercent` or `commissionCents`, which is cut to the sale’s total.',
    operation: operation('createAffiliate'),
    annotations: adds,
  },
  {
    name: 'get_affiliate_statement',
    description: 'What an affiliate earned, lost and was paid.',
    operation: operation('getAffiliateStatement'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'pay_affiliate',
    description: 'Records a payout of what is due; it moves no money. Needs `confirm: true`.',
    operation: operation('createPayout'),
    words: { includePending: 'Pays what is not due yet too.', currency: 'When more than one is due.' },
    confirmation:
      'This records what is due (`due_cents`), and with includePending what is pending too, as paid to the affiliate, who ' +
      'the seller pays elsewhere. It cannot be undone. When the seller agrees, call again with confirm: true.',
    preview: { operation: operation('getAffiliateStatement'), fields: ['balances'] },
    annotations: sends,
  },
  {
    name: 'list_payouts',
    description: 'Newest first.',
    operation: operation('listPayouts'),
    unsaid: ['full'],
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_settings',
    description: 'Names, currency, test mode, waiting times.',
    operation: operation('getSettings'),
    unsaid: ['full'],
    annotations: reads,
  },
  ...webhookTools,
  {
    name: 'run_daily_job',
    description: 'Runs the day’s collections: charges buyers. Needs `confirm: true`.',
    operation: operation('runDailyJob'),
    confirmation:
      'This runs the day’s collections for the account now: renewals and retries that are due are charged, holds that are ' +
      'due are captured, and stalled checkouts get a reminder. When the seller agrees, call again with confirm: true.',
    preview: { operation: operation('previewDailyRun'), fields: ['totals', 'charge_limit', 'unmatched_payments'] },
    unsaid: ['confirmUnmatchedPayments', 'waitSeconds'],
    annotations: charges,
  },
  {
    name: 'preview_daily_run',
    description: 'What run_daily_job would do now: totals, first steps.',
    operation: operation('previewDailyRun'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'list_daily_runs',
    description: 'Newest first. One under way has no `result`.',
    operation: operation('listDailyRuns'),
    unsaid: ['full'],
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_daily_run',
    description: 'Also one under way.',
    operation: operation('getDailyRun'),
    unsaid: ['full'],
    annotations: reads,
  },
  {
    name: 'advance_rehearsal',
    description: 'Lets days pass for test subscriptions. No money moves.',
    operation: operation('advanceRehearsal'),
    annotations: sends,
  },
];
