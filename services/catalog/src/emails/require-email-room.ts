import { limits } from '@app/contracts/common';
import { DomainError } from '@app/contracts/errors';
import type { EntityManager } from '@mikro-orm/postgresql';

/** All emails of a product are answered and pushed together: their bodies share a limit. Throws `limit_reached`. */
export async function requireEmailRoom(
  tx: EntityManager,
  place: { accountId: string; productId: string },
  body: string,
  replacedId = '',
): Promise<void> {
  const [used] = await tx.execute<{ bytes: number }[]>(
    `select coalesce(sum(octet_length(body)), 0)::int as bytes from funnel_emails
     where account_id = ? and product_id = ? and id <> ?`,
    [place.accountId, place.productId, replacedId],
  );
  if ((used?.bytes ?? 0) + Buffer.byteLength(body) <= limits.emailBytesPerProduct) return;
  const detail = `The email bodies of one product can have ${limits.emailBytesPerProduct} bytes together.`;
  throw new DomainError('limit_reached', detail, [{ field: 'body', code: 'limit_reached', message: detail }]);
}
