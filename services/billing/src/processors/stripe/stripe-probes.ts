import type Stripe from 'stripe';
import { NothingDoneError, type ProcessorCall } from '../port.ts';
import { NotPermittedError, StripeAnswerError } from './stripe-errors.ts';
import type { StripeLink } from './stripe-link.ts';

interface Probe {
  /** What a refusal lacks, where Stripe does not say it. */
  readonly name: string;
  /** What the adapter requests, with its expansions. It changes nothing: where it would, Stripe refuses its values, after the permission. */
  request(stripe: Stripe, options: Stripe.RequestOptions): Promise<unknown>;
}

const noId = 'none_of_these';
const one = { limit: 1 };
const probes: readonly Probe[] = [
  { name: 'Customers: write', request: (stripe, options) => stripe.customers.create({ email: 'no address' }, options) },
  {
    name: 'PaymentIntents: write',
    request: (stripe, options) => stripe.paymentIntents.create({ amount: 0, currency: 'usd' }, options),
  },
  {
    name: 'PaymentIntents: write',
    request: (stripe, options) => stripe.paymentIntents.list({ ...one, expand: ['data.latest_charge'] }, options),
  },
  {
    name: 'SetupIntents: write',
    request: (stripe, options) => stripe.setupIntents.create({ customer: noId, payment_method: noId }, options),
  },
  { name: 'SetupIntents: write', request: (stripe, options) => stripe.setupIntents.list(one, options) },
  {
    name: 'Charges and Refunds: write',
    request: (stripe, options) => stripe.refunds.create({ payment_intent: noId }, options),
  },
  {
    name: 'Charges and Refunds: read',
    request: (stripe, options) => stripe.refunds.list({ ...one, expand: ['data.payment_intent'] }, options),
  },
  {
    name: 'PaymentMethods: read',
    request: (stripe, options) => stripe.paymentMethods.retrieve(noId, {}, options),
  },
  {
    name: 'Balance Transaction Sources: read',
    request: (stripe, options) =>
      stripe.balanceTransactions.list({ ...one, type: 'charge', expand: ['data.source.payment_intent'] }, options),
  },
  {
    name: 'Balance Transaction Sources: read',
    request: (stripe, options) =>
      stripe.paymentIntents.list({ ...one, expand: ['data.latest_charge.balance_transaction'] }, options),
  },
  {
    name: 'Disputes: read',
    request: (stripe, options) => stripe.disputes.list({ ...one, expand: ['data.payment_intent'] }, options),
  },
  { name: 'Events: read', request: (stripe, options) => stripe.events.list(one, options) },
  { name: 'Webhook Endpoints: write', request: (stripe, options) => stripe.webhookEndpoints.list(one, options) },
  {
    name: 'Webhook Endpoints: write',
    request: (stripe, options) =>
      stripe.webhookEndpoints.create({ url: 'no address', enabled_events: ['refund.failed'] }, options),
  },
  {
    name: 'Payment Method Domains: write',
    request: (stripe, options) => stripe.paymentMethodDomains.list(one, options),
  },
  {
    name: 'Payment Method Domains: write',
    request: (stripe, options) => stripe.paymentMethodDomains.create({ domain_name: 'no domain' }, options),
  },
];

/** What a restricted key lacks of what the adapter requests. A secret key may do everything. @throws NothingDoneError, StripeAnswerError */
export async function missingPermissions(link: StripeLink, call: ProcessorCall): Promise<readonly string[]> {
  if (!call.secretKey?.startsWith('rk_')) return [];
  const lacked = await Promise.all(probes.map((probe) => lackedBy(link, call, probe)));
  return [...new Set(lacked.flat())];
}

async function lackedBy(link: StripeLink, call: ProcessorCall, { name, request }: Probe): Promise<readonly string[]> {
  try {
    await link.send(call, undefined, request);
  } catch (err) {
    if (err instanceof NotPermittedError) return [err.permission ?? name];
    if (err instanceof NothingDoneError || !(err instanceof StripeAnswerError)) throw err;
  }
  return [];
}
