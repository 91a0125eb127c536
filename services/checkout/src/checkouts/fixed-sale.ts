import type { CheckoutResource } from '@app/contracts/checkouts';
import type { OfferedUpsell } from '@app/contracts/payments';
import type { ProductForSale } from '@app/contracts/products-for-sale';
import type { StoredItem } from '../orders/order.rules.ts';

export type UpsellStatus = NonNullable<CheckoutResource['upsell']>['status'];

/** What billing is requested to charge for, and what is ours alone; sales of earlier versions lack the latter. */
export type SoldUpsell = OfferedUpsell &
  Pick<NonNullable<ProductForSale['upsell']>, 'accessUrl' | 'description' | 'compareAtCents' | 'image'>;

/** A sale as an attempt to pay fixed it: nothing that changes later reaches it. It holds no card. */
export interface FixedSale {
  readonly product: Pick<
    ProductForSale,
    'productId' | 'name' | 'slug' | 'priceCents' | 'currency' | 'pricingType' | 'billingInterval' | 'accessUrl'
  >;
  readonly items: readonly StoredItem[];
  readonly totalCents: number;
  readonly bumps: ProductForSale['bumps'];
  readonly discount: { readonly id: string; readonly code: string } | null;
  /** The card is held while this is offered; null when the card is charged at once. */
  readonly upsell: SoldUpsell | null;
  readonly email: string;
  readonly name: string | null;
  readonly country: string | null;
  /** The code of the affiliate who is credited, as the affiliate has it; left out while that is not known. */
  readonly creditedCode?: string | null;
  /** The sentence by which the buyer gave up the right to withdraw; left out where none was ticked. */
  readonly immediateAccess?: string;
}
