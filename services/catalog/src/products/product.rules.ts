import type { ProductResource } from '@app/contracts/catalog';

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

/** Whether a product may go from one status to another. Staying where it is, is always allowed. */
export function canMove(from: ProductStatus, to: ProductStatus): boolean {
  return from === to || moves[from].includes(to);
}
