import type { builtInAutomations } from '@app/contracts/automations';

interface Words {
  readonly subject: string;
  readonly body: string;
}

/** What release 0.2.0 wrote into accounts' rows. */
export const formerWords: Partial<Readonly<Record<(typeof builtInAutomations)[number], readonly Words[]>>> = {
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
  sale_notice: [
    {
      subject: 'Sold: {{product}} for {{total}}',
      body: `{{email}} bought {{product}} for {{total}}.

Name: {{name}}
Country: {{country}}
Affiliate: {{affiliate}}
Order: {{orderId}}
`,
    },
  ],
  refund_notice: [
    {
      subject: 'Your order at {{businessName}} was refunded',
      body: `Hello,

{{businessName}} has refunded your order.

{{product}}
Refunded: {{total}}
Order: {{orderId}}

It may take some days until your bank shows it. Questions? Reply to this email, or write to {{supportEmail}}.
`,
    },
  ],
  hold_end_notice: [
    {
      subject: 'Your order at {{businessName}} has ended: nothing was charged',
      body: `Hello,

your order of {{product}} at {{businessName}} has ended without a payment.

Nothing was charged: the {{total}} that were reserved on your card are free again. It may take some days until your bank shows it.
Order: {{orderId}}

Was that a mistake? Reply to this email, or write to {{supportEmail}}.
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
  cancellation_notice: [
    {
      subject: 'Your subscription of {{product}} has ended',
      body: `Hello,

your subscription of {{product}} has ended. It will not be charged again.

Was that a mistake? Reply to this email, or write to {{supportEmail}}.

{{businessName}}
`,
    },
  ],
  dispute_notice: [
    {
      subject: 'A payment of {{amount}} for {{product}} is disputed',
      body: `The bank of {{email}} disputes a payment of {{amount}} for {{product}}.

Reason: {{reason}}
Last moment for evidence: {{evidenceDueBy}}
Dispute: {{disputeId}}
Order: {{orderId}}

Answer it at your payment processor: without evidence it is lost. The payment cannot be refunded meanwhile.
`,
    },
  ],
  dispute_end_notice: [
    {
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
  ],
  endpoint_off_notice: [
    {
      subject: 'Your webhook endpoint needs attention: {{url}}',
      body: `{{summary}}.

Recent activity shows what the endpoint answered, and what to do about it.
`,
    },
  ],
};
