import type { AutomationAction, builtInAutomations } from '@app/contracts/automations';
import type { TriggerName } from '@app/contracts/triggers';

export type BuiltInKey = (typeof builtInAutomations)[number];
export type EmailAction = Extract<AutomationAction, { type: 'email' }>;

export interface BuiltIn {
  readonly key: BuiltInKey;
  readonly name: string;
  readonly event: TriggerName;
  readonly action: EmailAction;
}

/** What every account has from its beginning; sellers may change the subject and the body, and switch each off. */
export const builtIns: readonly BuiltIn[] = [
  {
    key: 'receipt',
    name: 'Receipt to the buyer',
    event: 'order.paid',
    action: {
      type: 'email',
      to: 'buyer',
      subject: 'Your receipt from {{businessName}}: {{product}}',
      body: `Hello {{firstName}},

thank you for your order at {{businessName}}.

Your access: {{accessUrl}}

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

Name: {{name}}
Country: {{country}}
Affiliate: {{affiliate}}
Order: {{orderId}}
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
      subject: '{{product}} was renewed for {{amount}}',
      body: `Hello,

your subscription of {{product}} at {{businessName}} was renewed.

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
      subject: 'Your order at {{businessName}} was refunded',
      body: `Hello,

{{businessName}} has refunded your order.

{{product}}
Refunded: {{total}}
Order: {{orderId}}

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

your order of {{product}} at {{businessName}} has ended without a payment.

Nothing was charged: the {{total}} that were reserved on your card are free again. It may take some days until your bank shows it.
Order: {{orderId}}

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
      subject: 'Your payment for {{product}} did not go through',
      body: `Hello,

the payment of {{amount}} for {{product}} did not go through. {{failure}}

We try again on {{nextTry}}. Nothing is lost until then.

Confirm your card, or use another one: {{cardUrl}}

Questions? Reply to this email, or write to {{supportEmail}}.

{{businessName}}
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

your subscription of {{product}} has ended. It will not be charged again.

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

Recent activity shows what the endpoint answered, and what to do about it.
`,
    },
  },
];

/** What earlier versions wrote into accounts' rows. */
const formerWords: Partial<Readonly<Record<BuiltInKey, readonly Pick<EmailAction, 'subject' | 'body'>[]>>> = {
  receipt: [
    {
      subject: 'Your receipt from {{businessName}}: {{product}}',
      body: `Hello {{firstName}},

thank you for your order at {{businessName}}.

{{product}}
Paid: {{total}}
Order: {{orderId}}

Your access: {{accessUrl}}

Questions? Reply to this email, or write to {{supportEmail}}.
`,
    },
  ],
  payment_failed_notice: [
    {
      subject: 'Your payment for {{product}} did not go through',
      body: `Hello,

the payment of {{amount}} for {{product}} did not go through. The card was declined, or your bank wants you to confirm the payment.

Confirm your card, or use another one: {{cardUrl}}

Questions? Reply to this email, or write to {{supportEmail}}.

{{businessName}}
`,
    },
  ],
};

/** The words of a built-in automation that its seller has not changed are those of this version. */
export function currentWords<Action extends AutomationAction>(key: BuiltInKey | null, action: Action): Action {
  if (key === null || action.type !== 'email') return action;
  const { subject, body } = action;
  const isFormer = formerWords[key]?.some((words) => words.subject === subject && words.body === body) ?? false;
  const now = builtIns.find((builtIn) => builtIn.key === key)?.action;
  return isFormer && now !== undefined ? { ...action, subject: now.subject, body: now.body } : action;
}
