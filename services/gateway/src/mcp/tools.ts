import { z } from 'zod';
import { formerTools } from './former-tools.ts';
import { findProduct, refundPart } from './resolved-arguments.ts';
import { annotations, operation, shortPage, type Tool } from './tool.ts';

const { reads, adds, changes, sends, repeats, ends, charges, givesBack } = annotations;

const offerKinds = (verb: string) => ({ bump: operation(`${verb}Bump`), upsell: operation(`${verb}Upsell`) });

/** Every tool that is listed, in the order in which clients see them: one for each thing that sellers ask for. The rest is `find`'s. */
export const namedTools: readonly Tool[] = [
  {
    name: 'list_products',
    title: 'Products',
    description:
      'Lists products, newest first, with id, price, status and `checkout_url`, the link that buyers pay at. Begin here when a product is known by its name.',
    operation: operation('listProducts'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'create_product',
    title: 'New product',
    description:
      'Makes a product and answers with its `checkout_url`. A draft unless `status` is `live`: only a live one can be bought.',
    operation: operation('createProduct'),
    unsaid: ['listed'],
    words: { accessUrl: 'Where buyers get what they bought.' },
    annotations: adds,
  },
  {
    name: 'update_product',
    title: 'Change product',
    description:
      'Changes the fields given. `status: live` puts it on sale, `archived` takes it off; past orders and running subscriptions keep their price.',
    operation: operation('updateProduct'),
    unsaid: ['listed'],
    words: { accessUrl: 'Where buyers get what they bought.' },
    annotations: changes,
  },
  {
    name: 'get_funnel',
    title: 'Funnel of a product',
    description: 'Reads the order bumps, upsells and post-purchase emails of a product, with their ids.',
    operation: operation('getFunnel'),
    annotations: reads,
  },
  {
    name: 'create_offer',
    title: 'New bump or upsell',
    description:
      'Adds an offer to a product: a bump beside the checkout, an upsell after the purchase, charged in one click. It is offered at once unless `active` is false.',
    operation: operation('createBump'),
    kinds: offerKinds('create'),
    unsaid: ['compareAtCents'],
    words: { headline: 'What buyers read.', active: 'Offered to buyers.' },
    annotations: adds,
  },
  {
    name: 'create_discount',
    title: 'New discount code',
    description:
      'Adds a code that buyers type at the checkout of one product. Give percentOff or amountOffCents; it takes nothing off bumps, upsells and renewals.',
    operation: operation('createDiscount'),
    words: {
      code: 'As buyers type it.',
      percentOff: 'Whole percent, 20 is 20 %.',
      maxUses: 'Orders that may use it.',
      expiresAt: 'ISO 8601, in the future.',
    },
    annotations: adds,
  },
  {
    name: 'list_orders',
    title: 'Orders',
    description:
      'Lists sales, newest first, without test orders: who bought what, for how much, and what went back. For all buyers of a product give `product`.',
    operation: operation('listOrders'),
    extra: { product: z.string().optional().describe('Name, slug or id of a product.') },
    resolve: findProduct,
    words: {
      q: 'Buyer’s email, order id or number, or how the buyer’s name begins. For a product use `product`.',
      affiliateCode: 'Sales that this affiliate’s link brought.',
    },
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_order',
    title: 'One order',
    description: 'Reads an order with its items, every payment and refund of it, disputes and fees.',
    operation: operation('getOrder'),
    annotations: reads,
  },
  {
    name: 'create_order',
    title: 'Record a sale',
    description:
      'Records a sale that was paid outside the platform; it charges nobody. Sends order.paid, and the buyer gets the receipt.',
    operation: operation('createOrder'),
    words: {
      productSlug: 'Slug of a live product.',
      name: 'Of the buyer.',
      bumpIds: 'Order bumps bought with it.',
      discountCode: 'A code of the product.',
      paymentMethod: 'Processor token for renewals.',
      test: 'A rehearsal: in no list and no metric.',
    },
    unsaid: ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
    annotations: sends,
  },
  {
    name: 'refund_order',
    title: 'Refund',
    description:
      'Gives money back to the buyer’s card: the whole order, which ends its subscription and takes commission back; or `amountCents` of it, which leaves the order paid.',
    operation: operation('refundOrder'),
    extra: {
      amountCents: z.int().min(1).optional().describe('A part, in minor units: 4900 is 49.00.'),
      paymentId: z.string().optional(),
    },
    resolve: refundPart,
    annotations: givesBack,
  },
  {
    name: 'get_overview',
    title: 'Earnings',
    description:
      'Reads what came in over UTC days, by currency and product, beside the days before: revenue, refunds, orders, renewals, visits. For “this month” give its first day as `from`, and no `to`.',
    operation: operation('getOverview'),
    words: {
      from: 'First day, YYYY-MM-DD.',
      to: 'Last day: today unless given, and at the latest.',
      limit: 'Products; 10 unless given.',
    },
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'get_metrics',
    title: 'Metrics of a product',
    description:
      'Reads one product’s sales figures: conversion, take rates, MRR, churn, lifetime value. Rates are fractions from 0 to 1.',
    operation: operation('getMetrics'),
    annotations: reads,
  },
  {
    name: 'list_subscriptions',
    title: 'Subscriptions',
    description:
      'Lists subscriptions, newest first, with what each renewal costs, when it is charged next and how many attempts failed. `status: past_due` are those whose card was declined.',
    operation: operation('listSubscriptions'),
    words: { email: 'Of the buyer.' },
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'cancel_subscription',
    title: 'Cancel subscription',
    description:
      'Ends a subscription now, for good, or with `at: period_end` once its paid time is over. Gives no money back; sends subscription.canceled.',
    operation: operation('cancelSubscription'),
    annotations: ends,
  },
  {
    name: 'pause_subscription',
    title: 'Pause subscription',
    description: 'Stops renewals and attempts to charge until resume_subscription; sends subscription.paused.',
    operation: operation('pauseSubscription'),
    annotations: repeats,
  },
  {
    name: 'resume_subscription',
    title: 'Resume subscription',
    description:
      'Lets a paused subscription renew again: on its date, or with the next daily job when that is past. Paused time is not billed.',
    operation: operation('resumeSubscription'),
    annotations: repeats,
  },
  {
    name: 'list_affiliates',
    title: 'Affiliates',
    description:
      'Lists affiliates, newest first, with their code, terms and `balances`: what is pending, due and paid.',
    operation: operation('listAffiliates'),
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'pay_affiliate',
    title: 'Record a payout',
    description:
      'Records that the seller paid an affiliate all that is due. It moves no money itself, and sends affiliate.paid.',
    operation: operation('createPayout'),
    words: { code: 'Of the affiliate.' },
    annotations: sends,
  },
  {
    name: 'set_webhook_endpoint',
    title: 'Connect webhooks',
    description:
      'Connects the URL that gets the account’s events, or changes it; answers with its id. send_test_webhook tries it.',
    operation: operation('putWebhookEndpoint'),
    words: {
      url: 'Public https URL of the receiver.',
      events: 'Names, such as order.paid; all unless given.',
      description: 'For the seller.',
      headers: 'Own headers of each delivery.',
      active: 'Whether it is sent to.',
    },
    annotations: changes,
  },
  {
    name: 'send_test_webhook',
    title: 'Test webhooks',
    description: 'Sends a sample event to an endpoint now, marked as a test, and answers with its delivery.',
    operation: operation('sendTestWebhook'),
    words: { event: 'Such as order.paid.' },
    annotations: sends,
  },
  {
    name: 'list_activity',
    title: 'Recent activity',
    description:
      'Lists what happened, newest first: every attempt to deliver, automations, notices, each with what was wrong and what to do.',
    operation: operation('listActivity'),
    words: { event: 'Such as order.paid.', email: 'Of the buyer.' },
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'list_webhook_deliveries',
    title: 'Webhook deliveries',
    description:
      'Lists events on their way to receivers. Each says in `reason` why nothing was sent, or when it is tried next. For “why no webhook” give orderId.',
    operation: operation('listWebhookDeliveries'),
    words: { event: 'Such as order.paid.', email: 'Of the buyer.' },
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'preview_daily_run',
    title: 'Tonight’s charges',
    description: 'Shows what run_daily_job would do now: whose renewals are charged, sums, reminders. Changes nothing.',
    operation: operation('previewDailyRun'),
    words: { after: '`next` of the page before.' },
    defaults: shortPage,
    annotations: reads,
  },
  {
    name: 'run_daily_job',
    title: 'Run the daily job',
    description:
      'Charges renewals that are due, retries declined cards, captures held orders, reminds buyers of stalled checkouts. It runs by itself once a day.',
    operation: operation('runDailyJob'),
    unsaid: ['waitSeconds'],
    annotations: charges,
  },
  {
    name: 'update_settings',
    title: 'Change settings',
    description:
      'Changes the fields given; answers with all settings. `testMode: true` makes every new sale a rehearsal that charges nobody.',
    operation: operation('updateSettings'),
    words: {
      handle: 'In the shop’s address.',
      businessName: 'On pages and in emails.',
      supportEmail: 'Where buyers write to, once it has confirmed by email.',
      testMode: 'Rehearse instead of selling.',
    },
    unsaid: [
      ...['holdDecisionMinutes', 'nudgeAfterMinutes', 'commissionHoldDays', 'cancellationNotices', 'dailyChargeLimit'],
      ...[
        'checkoutUrl',
        'accentColor',
        'termsUrl',
        'refundPolicyUrl',
        'portalCancel',
        'portalPause',
        'withdrawalDays',
        'immediateAccessConsent',
        'statementSuffix',
      ],
    ],
    annotations: changes,
  },
];

/** Every tool that can be called by its name. */
export const tools: readonly Tool[] = [...namedTools, ...formerTools];
