interface StripePermission {
  /** Of Stripe's page for restricted keys: the row, and its level. */
  readonly name: string;
  /** As Stripe names it in its messages. */
  readonly token: string;
  readonly purpose: string;
  /** Without it renewals would fail: a key that lacks it is not stored. */
  readonly isRequired: boolean;
}

/**
 * What a restricted key of Stripe has to be permitted, and what for. Rows as Stripe's messages name them
 * (https://docs.stripe.com/keys/restricted-api-keys). A permission to write is one to read.
 */
export const stripePermissions: readonly StripePermission[] = [
  {
    name: 'Customers: write',
    token: 'customer_write',
    purpose: 'Makes a customer for each order, whose card is kept there.',
    isRequired: true,
  },
  {
    name: 'PaymentIntents: write',
    token: 'payment_intent_write',
    purpose: 'Charges, holds, captures and releases; finds again what was sent.',
    isRequired: true,
  },
  {
    name: 'SetupIntents: write',
    token: 'setup_intent_write',
    purpose: 'Saves another card of a subscription; checks the publishable key.',
    isRequired: true,
  },
  {
    name: 'Charges and Refunds: read',
    token: 'charge_read',
    purpose: 'Reads how charges stand, and the refunds of your Dashboard.',
    isRequired: true,
  },
  {
    name: 'Charges and Refunds: write',
    token: 'charge_write',
    purpose: 'Refunds. Without it refund in your Stripe Dashboard.',
    isRequired: false,
  },
  {
    name: 'PaymentMethods: read',
    token: 'payment_method_read',
    purpose: 'Last four digits of a card, and whether it was removed at Stripe.',
    isRequired: false,
  },
  {
    name: 'Balance Transaction Sources: read',
    token: 'balance_transaction_source_read',
    purpose: 'Compares captures with the books; shows what Stripe keeps.',
    isRequired: false,
  },
  {
    name: 'Disputes: read',
    token: 'dispute_read',
    purpose: 'Finds disputes, and how they end.',
    isRequired: false,
  },
  {
    name: 'Events: read',
    token: 'event_read',
    purpose: 'Finds releases and failed refunds for the books.',
    isRequired: false,
  },
  {
    name: 'Webhook Endpoints: write',
    token: 'webhook_write',
    purpose: 'Makes the endpoint for Stripe’s events. Without it make one yourself.',
    isRequired: false,
  },
  {
    name: 'Payment Method Domains: write',
    token: 'payment_method_domain_write',
    purpose: 'Registers domains, so that buyers see Apple Pay and Google Pay.',
    isRequired: false,
  },
  {
    name: 'Accounts: read',
    token: 'accounts_kyc_basic_read',
    purpose:
      'Shows the account’s name, currency, and whether it may charge. Under Connect; Stripe does not offer it for every account.',
    isRequired: false,
  },
];
