import { hourMs } from '@app/contracts/durations';
import { idTimeMs } from '@app/contracts/ids';
import type { Discount } from '../orders/order.rules.ts';
import type { CheckoutRow } from './checkout-row.ts';
import type { FixedSale } from './fixed-sale.ts';

/** An attempt that begins: what it is for, and who requested it. */
export interface NewAttempt {
  readonly row: CheckoutRow;
  readonly sale: FixedSale;
  /** The discount whose use is to be claimed; null where none is, or where the attempt before has claimed it. */
  readonly claim: Discount | null;
  readonly commandId: string;
  readonly nowMs: number;
  readonly buyer: AttemptingBuyer;
}

/** What an attempt says of its buyer beside the email. */
export interface AttemptingBuyer {
  /** Of the browser, the address and the card; see `payCheckout`. */
  readonly digests: readonly string[];
  /** The buyer has confirmed that they want it once more. */
  readonly confirmsRepeat: boolean;
}

/** With the digests as they are kept. */
export interface RecognizedAttempt extends NewAttempt {
  readonly digests: readonly string[];
}

/** A checkout as it is while its row is locked; fields are named as the columns. */
export type LockedCheckout = Pick<
  CheckoutRow,
  'id' | 'status' | 'revision' | 'test' | 'settings_revision' | 'order_id' | 'attempt_no'
> & { readonly discount_id: string | null };

/** The mode of a shop and whether it asks for consent, and the number of the settings that say so. Both are null where they do not. */
export interface ShopMode {
  readonly account_id: string;
  readonly revision: number;
  readonly test_mode: boolean | null;
  readonly asks_consent: boolean | null;
}

/** What the buyer has bought, or is buying. `same`: from the browser, the address or with the card of the attempt. */
export interface EarlierPurchase {
  readonly order_id: string | null;
  readonly same: boolean;
}

/** What was read of an attempt under the locks; undefined for what there is not. */
export interface FoundOfAttempt {
  readonly checkout: LockedCheckout | undefined;
  readonly mode: ShopMode | undefined;
  readonly earlier: EarlierPurchase | undefined;
}

/**
 * Why an attempt does not begin. `stale`: the checkout was changed since it was read. `other mode`: the shop's test mode was
 * switched since the opening. `no consent`: the seller asks for it. `already bought`: by the same buyer, and not confirmed.
 */
export type AttemptRefusal = 'stale' | 'other mode' | 'no consent' | 'already bought';

/** An attempt that nothing refuses but, it may be, its discount. */
export interface DueAttempt {
  readonly attempt: RecognizedAttempt;
  readonly checkout: LockedCheckout;
  /** An order of which it is a likely duplicate. */
  readonly repeatsOrder: string | null;
}

/** Whether an attempt begins if its discount has a use left. */
export function decideAttempt(
  attempt: RecognizedAttempt,
  { checkout, mode, earlier }: FoundOfAttempt,
): DueAttempt | AttemptRefusal {
  if (checkout === undefined || !isAsRead(attempt, checkout)) return 'stale';
  if (!isInSameMode(checkout, mode)) return 'other mode';
  if (lacksConsent(attempt, checkout, mode)) return 'no consent';
  if (earlier === undefined) return { attempt, checkout, repeatsOrder: null };
  if (!earlier.same) return { attempt, checkout, repeatsOrder: earlier.order_id };
  return attempt.buyer.confirmsRepeat ? { attempt, checkout, repeatsOrder: null } : 'already bought';
}

/** An attempt after one that waited for the buyer keeps its claim: it never claims another use. */
const isAsRead = ({ row, claim }: NewAttempt, { revision, status }: LockedCheckout): boolean =>
  revision === row.revision && (status === 'open' || (status === 'requires_action' && claim === null));

/** As far as the newer of the opening and the settings here says. */
function isInSameMode({ test, settings_revision }: LockedCheckout, mode: ShopMode | undefined): boolean {
  if (mode === undefined || mode.revision < settings_revision) return true;
  return mode.test_mode === null || mode.test_mode === test;
}

/** The sale of an attempt that waits for the buyer is fixed already. */
const lacksConsent = ({ sale }: NewAttempt, { status }: LockedCheckout, mode: ShopMode | undefined): boolean =>
  status === 'open' && mode?.asks_consent === true && sale.immediateAccess === undefined;

/** Within it a buyer finds another card, and the order's payments show what was tried. */
const sameOrderMs = hourMs;

/**
 * Whether an attempt gets an order id of its own, if none of the earlier ones was given up. An order's position in lists and its
 * date are in its id: one that is paid days after a declined attempt must not lie below newer ones. Only after a definite no to
 * all of its attempts: one that was given up may succeed still, and the first id then says whose it is and keeps out a second charge.
 */
export const mayTakeNewOrderId = ({ row, nowMs }: NewAttempt): boolean =>
  row.order_id !== null &&
  row.status === 'open' &&
  row.attempt_reason !== null &&
  row.attempt_reason !== 'try_again_later' &&
  idTimeMs(row.order_id) < nowMs - sameOrderMs;

/** An attempt that has begun: the checkout as it is then, and the discount whose use it has. */
export interface Beginning {
  readonly attempt: RecognizedAttempt;
  readonly row: CheckoutRow;
  readonly discountId: string | null;
}

/**
 * The checkout as it is when the attempt begins.
 * @param newOrderId for a checkout that has none, or takes another one
 * @param gaveUp whether an earlier attempt of the checkout was given up
 */
export function beginningOf(
  { attempt, checkout, repeatsOrder }: DueAttempt,
  { newOrderId, gaveUp }: { readonly newOrderId: string; readonly gaveUp: boolean },
): Beginning {
  const { row, sale, claim, nowMs } = attempt;
  const takesNewOrderId = mayTakeNewOrderId(attempt) && !gaveUp;
  return {
    attempt,
    row: {
      ...row,
      status: 'processing',
      revision: checkout.revision + 1,
      attempt_no: checkout.attempt_no + 1,
      order_id: takesNewOrderId ? newOrderId : (checkout.order_id ?? newOrderId),
      sale,
      repeats_order: repeatsOrder,
      attempt_began_at: new Date(nowMs),
      attempt_reason: null,
      reason: null,
      action_url: null,
    },
    discountId: checkout.status === 'open' ? (claim?.id ?? null) : checkout.discount_id,
  };
}
