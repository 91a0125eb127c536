import { DomainError } from '@app/contracts/errors';
import { getPaymentProcessor } from '@app/contracts/payment-processors';
import { invalidField } from '@app/contracts/validation';
import type { RequestContext } from '@app/messaging/request-headers';
import type { Requester } from '@app/messaging/requester';
import { impossibleAtStripe } from '@app/money/stripe-amounts';
import type { UseCaseDeps } from '@app/service-host/define-service';

/** Of what saves prices. */
export interface PricingDeps extends UseCaseDeps {
  readonly requester: Requester;
}

/** A seller's form waits no longer for billing, in milliseconds. */
const waitMs = 3_000;

/**
 * The error for a price that the account's payment processor can never charge; undefined for any other price. Only a price that
 * Stripe could not take asks billing which processor the account uses. Call it before the transaction, and throw the error in it:
 * a repeated command then gets its first outcome. While billing does not answer, the price is saved: its payments end as declined.
 * @param priceCents in minor units of `currency`
 * @param field what the error names where the price itself is right in another currency
 */
export async function priceRefusal(
  requester: Requester,
  { accountId, requestId, deadlineMs }: RequestContext,
  { priceCents, currency }: { readonly priceCents: number; readonly currency: string },
  field: 'currency' | 'priceCents' = 'priceCents',
): Promise<DomainError | undefined> {
  const impossible = impossibleAtStripe(priceCents, currency);
  if (impossible === undefined) return undefined;
  const call = { accountId, requestId, deadlineMs, waitMs };
  const settings = await requester.request(getPaymentProcessor, {}, call).catch((err: unknown) => {
    if (err instanceof DomainError) return undefined;
    throw err;
  });
  if (settings?.processor !== 'stripe') return undefined;
  return invalidField(impossible.field === 'currency' ? field : 'priceCents', impossible.message);
}
