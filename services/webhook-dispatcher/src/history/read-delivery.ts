import { DomainError } from '@app/contracts/errors';
import type { Database } from '@app/service-kit/database';
import {
  type DeliveryResource,
  type DeliveryRow,
  deliveriesById,
  deliveriesStatement,
  deliveryResource,
} from './delivery-rows.ts';

const oneStatement = deliveriesStatement(
  'delivery-read',
  `select d.* from (select $2::text as id) wanted ${deliveriesById}`,
);

/** The row of a delivery; undefined when the account has no such delivery. */
export async function findDelivery(
  database: Database,
  accountId: string,
  deliveryId: string,
): Promise<DeliveryRow | undefined> {
  return (await database.pool.query<DeliveryRow>(oneStatement([accountId, deliveryId]))).rows[0];
}

/**
 * Reads a delivery as lists show it.
 * @throws DomainError delivery_not_found
 */
export async function readDelivery(
  database: Database,
  accountId: string,
  deliveryId: string,
): Promise<DeliveryResource> {
  const row = await findDelivery(database, accountId, deliveryId);
  if (row === undefined) throw new DomainError('delivery_not_found', 'This account has no such delivery.');
  return deliveryResource(row);
}
