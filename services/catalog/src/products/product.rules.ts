import type { ProductResource } from '@app/contracts/products';

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
