import type { ProductResource } from '@app/contracts/products';

type ProductStatus = ProductResource['status'];

/**
 *   (new) ──▶ draft ──▶ live ◀──▶ archived
 *     └──────────────────▲
 */
const moves: Record<ProductStatus, readonly ProductStatus[]> = {
  draft: ['live'],
  live: ['archived'],
  archived: ['live'],
};

/** Whether a product's status may change so. To the same status is always allowed. */
export function canMove(from: ProductStatus, to: ProductStatus): boolean {
  return from === to || moves[from].includes(to);
}
