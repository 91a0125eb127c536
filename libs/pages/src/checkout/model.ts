import type { Formats } from '../formats.ts';

/** Whose page it is. */
export interface Shop {
  /** Empty while it is not known. */
  readonly handle: string;
  readonly name: string;
  readonly logoUrl: string | null;
  /** `#rrggbb`; null is ours. */
  readonly accentColor: string | null;
  readonly supportEmail: string;
  readonly termsUrl: string | null;
  readonly refundPolicyUrl: string | null;
  /** Buyers cancel their subscriptions in the portal; else they write to the seller. */
  readonly portalCancel: boolean;
  /** For so many days buyers may withdraw; 0 where the shop takes no withdrawals. */
  readonly withdrawalDays: number;
  /** The checkout asks buyers to give up that right for immediate access. */
  readonly immediateAccessConsent: boolean;
}

/** What is sold, as it is right now. */
export interface Product {
  readonly name: string;
  readonly description: string;
  readonly imageUrl: string | null;
  readonly billingInterval: 'month' | 'year' | null;
}

export interface OrderLine {
  readonly kind: string;
  readonly label: string;
  readonly amountCents: number;
}

/** What all pages of a purchase show. */
export interface Purchase {
  readonly shop: Shop;
  readonly product: Product;
  readonly lines: readonly OrderLine[];
  readonly totalCents: number;
  readonly currency: string;
  /** A test purchase: nothing is charged. */
  readonly isTest: boolean;
}

/** What every form of a purchase sends along, beside `do` of the button that sends it: `takeForm` and `takeOrder` read that. */
export interface Post {
  /** Where the forms post. */
  readonly action: string;
  /** Made with the page: the Idempotency-Key of what its form does. */
  readonly key: string;
  /** By which the server finds this browser's checkout, also at an address that has changed. */
  readonly productId: string;
  /** The page counts as seen by a post to its action; a page of a checkout was counted when it was opened. */
  readonly isCounted?: boolean;
}

/** A page before the document is around it. */
export interface PageOf<Content> {
  readonly purchase: Purchase;
  readonly post: Post;
  readonly formats: Formats;
  readonly content: Content;
}
