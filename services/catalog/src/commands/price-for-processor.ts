import { DomainError } from '@app/contracts/errors';
import { getPaymentProcessor } from '@app/contracts/payment-processors';
import { invalidField } from '@app/contracts/validation';
import type { RequestContext } from '@app/messaging/request-headers';
import type { Requester } from '@app/messaging/requester';
import { belowSmallestCharge, impossibleAtStripe } from '@app/money/stripe-amounts';
import type { UseCaseDeps } from '@app/service-host/define-service';

/** Of what saves prices. */
export interface PricingDeps extends UseCaseDeps {
  readonly requester: Requester;
}

/**
 * The error for a price that the account's payment processor can never charge; undefined for any other price. Only a price that
 * Stripe may refuse reads from billing which processor the account uses, and what the account is paid out in. Call it before the transaction, and throw the error in it:
 * a repeated command then gets its first outcome. While billing does not answer, the price is saved: its payments end as declined.
 * @param priceCents in minor units of `currency`
 * @param isAddedTo whether it is always charged together with another price, as a bump with its product
 * @param field what the error names where the price itself is right in another currency
 */
export async function priceRefusal(
  requester: Requester,
  { accountId, requestId, deadlineMs }: RequestContext,
  { priceCents, currency, isAddedTo = false }: { priceCents: number; currency: string; isAddedTo?: boolean },
  field: 'currency' | 'priceCents' = 'priceCents',
): Promise<DomainError | undefined> {
  const impossible = impossibleAtStripe(priceCents, currency);
  const tooSmall = isAddedTo ? undefined : belowSmallestCharge(priceCents, currency);
  const fault = impossible ?? tooSmall;
  if (fault === undefined) return undefined;
  const call = { accountId, requestId, deadlineMs };
  const settings = await requester.request(getPaymentProcessor, {}, call).catch((err: unknown) => {
    if (err instanceof DomainError) return undefined;
    throw err;
  });
  if (settings?.processor !== 'stripe') return undefined;
  const { live, test } = settings.stripe ?? {};
  const settlementCurrency = (live ?? test)?.settlement_currency;
  if (impossible === undefined && settlementCurrency !== currency) return undefined;
  return invalidField(fault.field === 'currency' ? field : 'priceCents', fault.message);
}
