import type { AutomationAction, builtInAutomations } from '@app/contracts/automations';
import type { TriggerName } from '@app/contracts/triggers';
import { formerWords } from './former-words.rules.ts';

export type BuiltInKey = (typeof builtInAutomations)[number];
export type EmailAction = Extract<AutomationAction, { type: 'email' }>;

export interface BuiltIn {
  readonly key: BuiltInKey;
  readonly name: string;
  readonly event: TriggerName;
  readonly action: EmailAction;
}

/** Notices to the seller of what went wrong, and how it ended: one email an hour at most has all of them. */
export const digestedNotices: ReadonlySet<BuiltInKey> = new Set([
  'renewal_failed_notice',
  'dispute_notice',
  'dispute_end_notice',
  'endpoint_off_notice',
  'key_refused_notice',
]);

/**
 * What every account has from its beginning; sellers may change the subject and the body, and switch each off. An automation is a row of
 * `endpoints`: `storeEvents` gives it a delivery of each event of its name, and `createSendEmail` sends that.
 */
export const builtIns: readonly BuiltIn[] = [
  {
    key: 'receipt',
    name: 'Receipt to the buyer',
    event: 'order.paid',
    action: {
      type: 'email',
      to: 'buyer',
      subject: 'Receipt: {{total}} for {{product}}',
      body: `Hello {{firstName}},

Thank you for your order at {{businessName}}.

Your access: {{accessUrl}}

{{delivery}}

{{receipt}}

All your purchases: {{purchasesUrl}}

Questions? Reply to this email, or write to {{supportEmail}}.
`,
    },
  },
  {
    key: 'sale_notice',
    name: 'Notice of a sale',
    event: 'order.paid',
    action: {
      type: 'email',
      to: 'seller',
      subject: 'Sold: {{product}} for {{total}}',
      body: `{{email}} bought {{product}} for {{total}}.

{{items}}

Name: {{name}}
Country: {{country}}
Affiliate: {{affiliate}}
Order: {{orderNumber}}

See the order: {{orderUrl}}
`,
    },
  },
  {
    key: 'renewal_receipt',
    name: 'Receipt of a renewal to the buyer',
    event: 'subscription.rebilled',
    action: {
      type: 'email',
      to: 'buyer',
      subject: 'Receipt: {{amount}} for {{product}}',
      body: `Hello,

Your subscription of {{product}} at {{businessName}} was renewed.

{{receipt}}

All your purchases: {{purchasesUrl}}

Questions? Reply to this email, or write to {{supportEmail}}.
`,
    },
  },
  {
    key: 'refund_notice',
    name: 'Notice of a refund to the buyer',
    event: 'order.refunded',
    action: {
      type: 'email',
      to: 'buyer',
      subject: 'Refund: {{total}} for {{product}}',
      body: `Hello,

{{businessName}} has refunded your order.

{{product}}
Refunded: {{total}}
Order: {{orderNumber}}

It may take some days until your bank shows it. Questions? Reply to this email, or write to {{supportEmail}}.
`,
    },
  },
  {
    key: 'partial_refund_notice',
    name: 'Notice of a refund in part to the buyer',
    event: 'payment.refunded',
    action: {
      type: 'email',
      to: 'buyer',
      subject: 'Refund: {{amount}} for {{product}}',
      body: `Hello,

{{businessName}} has given back {{amount}} of what you paid for {{product}}.

Given back so far: {{refundedTotal}} of {{paid}}
Order: {{orderNumber}}

It may take some days until your bank shows it. Questions? Reply to this email, or write to {{supportEmail}}.
`,
    },
  },
  {
    key: 'hold_end_notice',
    name: 'Notice of an order that ended unpaid to the buyer',
    event: 'order.expired',
    action: {
      type: 'email',
      to: 'buyer',
      subject: 'Your order at {{businessName}} has ended: nothing was charged',
      body: `Hello,

Your order of {{product}} at {{businessName}} has ended without a payment.

Nothing was charged: the {{total}} that were reserved on your card are free again. It may take some days until your bank shows it.
Order: {{orderNumber}}

Was that a mistake? Reply to this email, or write to {{supportEmail}}.
`,
    },
  },
  {
    key: 'payment_failed_notice',
    name: 'Notice of a failed renewal to the buyer',
    event: 'subscription.payment_failed',
    action: {
      type: 'email',
      to: 'buyer',
      subject: '{{ended}} Your payment for {{product}} did not go through',
      body: `Hello,

The payment of {{amount}} for {{product}} did not go through. {{failure}}

We try again on {{nextTry}}. Nothing is lost until then.

Confirm your card, or use another one: {{cardUrl}}

{{ended}} It will not be charged again, and the time you paid for stays yours.

Buy it again: {{buyAgainUrl}}

Questions? Reply to this email, or write to {{supportEmail}}.

{{businessName}}
`,
    },
  },
  {
    key: 'renewal_failed_notice',
    name: 'Notice of a failed renewal',
    event: 'subscription.payment_failed',
    action: {
      type: 'email',
      to: 'seller',
      subject: '{{ended}} A renewal of {{product}} failed: {{amount}} of {{email}}',
      body: `The renewal of {{product}} for {{amount}} failed. {{failure}}

{{ended}} It will not be charged again.

Buyer: {{email}}
Next try: {{nextTry}}
Subscription: {{subscriptionId}}

The buyer is told of it, with what to do next, while that automation is on.
`,
    },
  },
  {
    key: 'cancellation_notice',
    name: 'Notice of a cancellation to the buyer',
    event: 'subscription.canceled',
    action: {
      type: 'email',
      to: 'buyer',
      subject: 'Your subscription of {{product}} has ended',
      body: `Hello,

Your subscription of {{product}} has ended. It will not be charged again.

Was that a mistake? Reply to this email, or write to {{supportEmail}}.

{{businessName}}
`,
    },
  },
  {
    key: 'dispute_notice',
    name: 'Notice of a dispute',
    event: 'dispute.opened',
    action: {
      type: 'email',
      to: 'seller',
      subject: 'A payment of {{amount}} for {{product}} is disputed',
      body: `The bank of {{email}} disputes a payment of {{amount}} for {{product}}.

Reason: {{reason}}
Last moment for evidence: {{evidenceDueBy}}
Dispute: {{disputeId}}
Order: {{orderId}}

Answer it at your payment processor: without evidence it is lost. The payment cannot be refunded meanwhile.
`,
    },
  },
  {
    key: 'dispute_end_notice',
    name: 'Notice of the end of a dispute',
    event: 'dispute.closed',
    action: {
      type: 'email',
      to: 'seller',
      subject: 'The dispute of {{amount}} for {{product}} has ended: {{outcome}}',
      body: `The dispute of {{amount}} for {{product}} has ended.

Outcome: {{outcome}}
Reason: {{reason}}
Last moment for evidence: {{evidenceDueBy}}
Dispute: {{disputeId}}
Buyer: {{email}}
Order: {{orderId}}

What is lost counts as money given back. Nothing is given back by any other outcome.
`,
    },
  },
  {
    key: 'endpoint_off_notice',
    name: 'Notice about a webhook endpoint',
    event: 'endpoint.off',
    action: {
      type: 'email',
      to: 'seller',
      subject: 'Your webhook endpoint needs attention: {{url}}',
      body: `{{summary}}.

Activity shows what the endpoint answered, and what to do about it.
`,
    },
  },
  {
    key: 'key_refused_notice',
    name: 'Notice about the payment processor’s API key',
    event: 'processor.key_refused',
    action: {
      type: 'email',
      to: 'seller',
      subject: '{{headline}}',
      body: `{{summary}}

You get this once a day until it is mended.
`,
    },
  },
];

/** The subject of the notice about an API key: one that lacks a permission is accepted, and goes on with what it may do. */
export const keyHeadline = (lacksPermission: boolean): string =>
  lacksPermission
    ? 'Your API key at the payment processor lacks a permission'
    : 'Your shop takes no payments: the API key is refused';

/** The words of a built-in automation that its seller has not changed are those of this version. */
export function currentWords<Action extends AutomationAction>(key: BuiltInKey | null, action: Action): Action {
  if (key === null || action.type !== 'email') return action;
  const { subject, body } = action;
  const isFormer = formerWords[key]?.some((words) => words.subject === subject && words.body === body) ?? false;
  const now = builtIns.find((builtIn) => builtIn.key === key)?.action;
  return isFormer && now !== undefined ? { ...action, subject: now.subject, body: now.body } : action;
}
