import type { DaySums } from '../rollups/rollups.types.ts';

/** A product with what it has at the end of the span; null is what no event said yet. */
export interface ProductAtEnd {
  readonly product_id: string;
  readonly name: string | null;
  readonly pricing_type: 'onetime' | 'subscription' | null;
  readonly currency: string | null;
  readonly active_subscriptions: number;
  readonly mrr_cents: number;
}

/** What a product did in one of the two spans. */
export interface SpanOfProduct extends DaySums {
  readonly product_id: string;
  /** Whether of the span itself, and not of the one before. */
  readonly is_current: boolean;
}

/** What all products of a currency did on a day or in a month. */
export interface Point extends DaySums {
  /** `YYYY-MM-DD` or `YYYY-MM`. */
  readonly date: string;
  /** Null for products that were visited and never sold. */
  readonly currency: string | null;
}
