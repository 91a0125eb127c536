import { limits } from '@app/contracts/common';
import { DomainError } from '@app/contracts/errors';
import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';

const usedStatement = statement<{ bytes: number }>(
  'funnel-emails-bytes',
  `select coalesce(sum(octet_length(to_json(body)::text) - 2), 0)::int as bytes from funnel_emails
     where account_id = $1 and product_id = $2 and id <> $3`,
  { bytes: 'int4' },
);

/**
 * Requires room for one more email body. All emails of a product travel together, in a funnel's response and in a push,
 * so their bodies share a limit, in bytes as JSON writes them. With 50 subjects and names of 1.2 KB around them the
 * bodies make 1.2 MB, in one message and in one statement of events. The caller has locked the product, so that two
 * emails at once do not take the same room.
 * @throws DomainError limit_reached
 */
export async function requireEmailRoom(
  tx: EntityManager,
  of: { accountId: string; productId: string },
  body: string,
  replacedId = '',
): Promise<void> {
  const [used] = await executeBound(tx, usedStatement([of.accountId, of.productId, replacedId]));
  const wanted = Buffer.byteLength(JSON.stringify(body)) - 2;
  if ((used?.bytes ?? 0) + wanted <= limits.emailBytesPerProduct) return;
  const detail = `The email bodies of one product can have ${limits.emailBytesPerProduct} bytes of JSON together.`;
  throw new DomainError('limit_reached', detail, [{ field: 'body', code: 'limit_reached', message: detail }]);
}
