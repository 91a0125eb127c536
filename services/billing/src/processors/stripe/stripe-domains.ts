import type Stripe from 'stripe';
import type { ProcessorCall } from '../port.ts';
import type { StripeLink } from './stripe-link.ts';

type WalletStatus = 'active' | 'inactive';

export interface ListedDomain {
  readonly id: string;
  readonly name: string;
  /** False: the seller has switched it off at Stripe. */
  readonly isEnabled: boolean;
  readonly applePay: WalletStatus;
  readonly googlePay: WalletStatus;
  /** Stripe's words where a wallet is not shown there. */
  readonly detail: string | null;
}

/**
 * Domains on which Stripe's fields show wallets, of the Stripe account that the call's key is of:
 * https://docs.stripe.com/payments/payment-methods/pmd-registration. All throw NothingDoneError and StripeAnswerError.
 */
export interface StripeDomains {
  /** Null where none has the name. */
  find(call: ProcessorCall, name: string): Promise<ListedDomain | null>;
  /** @param key the idempotency key: one for each creation that is meant */
  create(call: ProcessorCall, key: string, name: string): Promise<ListedDomain>;
  /** Lets Stripe check again what a wallet lacked there. */
  validate(call: ProcessorCall, id: string): Promise<ListedDomain>;
}

export function createStripeDomains(link: StripeLink): StripeDomains {
  return {
    find: async (call, name) => {
      const { data } = await link.read(call, (stripe, options) =>
        stripe.paymentMethodDomains.list({ domain_name: name }, options),
      );
      return data[0] === undefined ? null : domainOf(data[0]);
    },
    create: async (call, key, name) =>
      domainOf(
        await link.send(call, key, (stripe, options) =>
          stripe.paymentMethodDomains.create({ domain_name: name }, options),
        ),
      ),
    validate: async (call, id) =>
      domainOf(
        await link.send(call, undefined, (stripe, options) => stripe.paymentMethodDomains.validate(id, {}, options)),
      ),
  };
}

function domainOf({ id, domain_name: name, enabled, apple_pay, google_pay }: Stripe.PaymentMethodDomain): ListedDomain {
  const detail = [apple_pay, google_pay].find(({ status }) => status !== 'active')?.status_details?.error_message;
  return {
    ...{ id, name, isEnabled: enabled, detail: detail ?? null },
    applePay: statusOf(apple_pay),
    googlePay: statusOf(google_pay),
  };
}

/** A status that is none of ours shows nothing for certain. */
const statusOf = ({ status }: { readonly status: string }): WalletStatus =>
  status === 'active' ? 'active' : 'inactive';
