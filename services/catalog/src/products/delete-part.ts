import type { DomainError } from '@app/contracts/errors';
import { type IdKind, isId } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import type { Database } from '@app/service-kit/database';
import type { EntityName, FilterQuery } from '@mikro-orm/postgresql';
import { runCommand } from '../commands/run-command.ts';
import { requireProduct } from './require-product.ts';

/** The columns of `partKey`. */
interface PartRow {
  readonly accountId: string;
  readonly productId: string;
  readonly id: string;
}

/** What is deleted, and what is thrown where the product has none with the id. */
export interface PartKind<Part extends PartRow> {
  readonly of: EntityName<Part>;
  readonly kind: IdKind;
  unknown(id: string): DomainError;
}

/**
 * Deletes an offer, an email or a discount of a product.
 * @throws DomainError product_not_found, or the part's `unknown`
 */
export async function deletePart<Part extends PartRow>(
  database: Database,
  { accountId, commandId }: RequestContext,
  { of, kind, unknown }: PartKind<Part>,
  { productId, id }: Pick<PartRow, 'productId' | 'id'>,
): Promise<{ ok: true }> {
  return await runCommand(database, commandId, async (tx) => {
    await requireProduct(tx, accountId, productId);
    if (!isId(kind, id)) throw unknown(id);
    // Safe because every part has the columns of `partKey`.
    const deleted = await tx.nativeDelete(of, { accountId, productId, id } as FilterQuery<Part>);
    if (deleted === 0) throw unknown(id);
    return { ok: true as const };
  });
}
