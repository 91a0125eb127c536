import { StripeNo } from './stripe-error.ts';

/**
 * What a restricted key needs for a request, and what Stripe says of a key that lacks it. The names in quotes are Stripe's: recorded in messages
 * as the two below; `balance_transaction_source`, `dispute`, `payment_method` and `setup_intent` in the permission lists of
 * github.com/PostHog/posthog (sources/stripe). A permission to write is one to read: docs.stripe.com/keys/restricted-api-keys.
 */
const resources: readonly (readonly [path: string, token: string, row: string])[] = [
  ['/v1/customers', 'customer', 'Customers'],
  ['/v1/payment_intents', 'payment_intent', 'PaymentIntents'],
  ['/v1/setup_intents', 'setup_intent', 'SetupIntents'],
  ['/v1/refunds', 'charge', 'Charges and Refunds'],
  ['/v1/disputes', 'dispute', 'Disputes'],
  ['/v1/payment_methods', 'payment_method', 'PaymentMethods'],
  ['/v1/balance_transactions', 'balance_transaction_source', 'Balance Transaction Sources'],
  ['/v1/events', 'event', 'Events'],
  ['/v1/webhook_endpoints', 'webhook', 'Webhook Endpoints'],
  ['/v1/payment_method_domains', 'payment_method_domain', 'Payment Method Domains'],
  ['/v1/account', 'accounts_kyc_basic', 'Accounts'],
];

/**
 * What is expanded is read. The documentation does not say whether Stripe looks at a list that is empty: here the request's words count,
 * whatever there is.
 */
const expansions: Readonly<Record<string, string>> = {
  latest_charge: 'charge_read',
  balance_transaction: 'balance_transaction_source_read',
  payment_intent: 'payment_intent_read',
  source: 'charge_read',
};

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly parameters: Record<string, unknown>;
}

/** The permission that the request lacks; undefined where the key may. @param lacking Stripe's names, or paths as the description has them */
export function lackedBy({ method, path, parameters }: Asked, lacking: readonly string[]): string | undefined {
  if (lacking.includes(path)) return `${tokenOf(path)}_${method === 'GET' ? 'read' : 'write'}`;
  const expand = (parameters.expand ?? []) as readonly string[];
  const needs = [
    `${tokenOf(path)}_${method === 'GET' ? 'read' : 'write'}`,
    ...expand.flatMap((path) => path.split('.')).flatMap((name) => expansions[name] ?? []),
  ];
  return needs.find((need) => lacking.includes(need) || lacking.includes(need.replace(/_write$/, '_read')));
}

const tokenOf = (path: string): string => resources.find(([start]) => path.startsWith(start))?.[1] ?? '';

/**
 * Since 2026 with a code, and the Dashboard's row in the words: PostHog/posthog, StripeSource's observed errors. Of accounts in the earlier form:
 * github.com/stripe/stripe-node/issues/2246. Both name the account.
 */
export function permissionDenied(lacked: string, account: string): StripeNo {
  const type = 'invalid_request_error';
  const whose = `The provided key 'rk_live_***x' does not have the required permissions for this endpoint on account '${account}'.`;
  if (lacked.startsWith('accounts')) {
    return new StripeNo(403, {
      type,
      message: `${whose} Having the 'rak_${lacked}' permission would allow this request to continue.`,
    });
  }
  const [, token = '', level = ''] = /^(\w+)_(read|write)$/.exec(lacked) ?? [];
  const row = resources.find((one) => one[1] === token)?.[2] ?? token;
  const enabling = `Enabling "${row} ${level === 'read' ? 'Read' : 'Write'}" ('${lacked}') permissions on this key would allow this request to continue.`;
  return new StripeNo(403, {
    type,
    code: 'more_permissions_required',
    message: `Permission denied. ${whose} ${enabling}`,
  });
}
