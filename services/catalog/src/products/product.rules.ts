import type { RequestInput } from '@app/contracts/define';
import { DomainError, type FieldError } from '@app/contracts/errors';
import type { ProductResource, updateProduct } from '@app/contracts/products';

type ProductStatus = ProductResource['status'];

/**
 *   (new) ──▶ draft ──▶ live ◀──▶ archived
 *     │         │          ▲           ▲
 *     └─────────│──────────┘           │
 *               └──────────────────────┘
 *
 * A draft that was a mistake is archived, because products are never deleted. What was on sale is no draft again.
 */
const moves: Record<ProductStatus, readonly ProductStatus[]> = {
  draft: ['live', 'archived'],
  live: ['archived'],
  archived: ['live'],
};

/** Whether a product's status may change so. To the same status is always allowed. */
export function canMove(from: ProductStatus, to: ProductStatus): boolean {
  return from === to || moves[from].includes(to);
}

/** @throws DomainError invalid_transition */
export function requireMove(from: ProductStatus, to: ProductStatus): void {
  if (!canMove(from, to)) throw new DomainError('invalid_transition', `A product that is ${from} cannot become ${to}.`);
}

/** In what a product is sold. */
export interface Terms {
  readonly currency: string;
  readonly pricingType: ProductResource['pricing_type'];
  readonly billingInterval: ProductResource['billing_interval'];
}

/**
 * The terms that a change makes, and what is wrong with them: they are changed while the product is a draft and was never sold, and
 * a subscription alone has an interval.
 */
export function changedTerms(
  product: Terms & { readonly status: ProductStatus },
  body: RequestInput<typeof updateProduct>['body'],
): { readonly terms: Terms; readonly faults: readonly FieldError[] } {
  const { currency = product.currency, pricingType = product.pricingType } = body;
  const { billingInterval = pricingType === 'subscription' ? product.billingInterval : null } = body;
  const terms = { currency, pricingType, billingInterval };
  const changed = (['currency', 'pricingType', 'billingInterval'] as const).filter(
    (field) => body[field] !== undefined && body[field] !== product[field],
  );
  if (product.status !== 'draft')
    return { terms, faults: changed.map((field) => ({ field, code: 'not_a_draft', message: notADraft })) };
  if ((pricingType === 'subscription') === (billingInterval !== null)) return { terms, faults: [] };
  const message = billingInterval === null ? 'is required for a subscription' : 'is for subscriptions only';
  return { terms, faults: [{ field: 'billingInterval', code: 'invalid', message }] };
}

const notADraft = 'can be changed while the product is a draft, and no more';
