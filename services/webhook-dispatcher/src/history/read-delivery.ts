import { DomainError } from '@app/contracts/errors';
import type { Database } from '@app/service-kit/database';
import {
  type DeliveryResource,
  deliveriesById,
  deliveriesStatement,
  deliveryResource,
  type ListedDeliveryRow,
} from './delivery-rows.ts';

const oneStatement = deliveriesStatement(
  'delivery-read',
  `select d.* from (select $2::text as id) wanted ${deliveriesById}`,
);

/**
 * Returns the row of a delivery.
 * @throws DomainError delivery_not_found
 */
export async function requireDeliveryRow(
  database: Database,
  accountId: string,
  deliveryId: string,
): Promise<ListedDeliveryRow> {
  const [row] = (await database.pool.query(oneStatement([accountId, deliveryId]))).rows;
  if (row === undefined) throw new DomainError('delivery_not_found', 'No delivery has this id.');
  return row;
}

/**
 * Reads a delivery as lists show it; get-delivery.ts gets it with its attempts and its payload.
 * @throws DomainError delivery_not_found
 */
export async function readDelivery(
  database: Database,
  accountId: string,
  deliveryId: string,
): Promise<DeliveryResource> {
  return deliveryResource(await requireDeliveryRow(database, accountId, deliveryId));
}
