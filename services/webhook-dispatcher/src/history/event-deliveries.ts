import { dayMs, hourMs } from '@app/contracts/durations';
import { emailKey } from '@app/contracts/email-key';
import { idFloor } from '@app/contracts/ids';
import { invalidField } from '@app/contracts/validation';
import { type Database, statement } from '@app/service-kit/database';
import { afterAllIdsAndSuffixes } from '../storage/index-scans.ts';

/** What names events: one, those of an order, or those of a buyer. */
export interface EventFilters {
  readonly eventId?: string | undefined;
  readonly orderId?: string | undefined;
  readonly email?: string | undefined;
}

export const namesEvents = ({ eventId, orderId, email }: EventFilters): boolean =>
  eventId !== undefined || orderId !== undefined || email !== undefined;

/** The deliveries of an event, newest first. */
export interface EventDeliveries {
  readonly id: string;
  readonly deliveryIds: readonly string[];
}

const columns = 'select id, delivery_ids from events where account_id = $1';
const range = 'and id <= $3 and id >= $4';
const others = '($6::text is null or order_id = $6) and ($7::text is null or email_key = $7)';
/** The narrowest of the given filters finds the events along its index; the others are compared. */
const byId = statement<{ id: string; delivery_ids: readonly string[] }>(
  'history-event',
  `${columns} and id = $2 ${range} and ${others} limit $5`,
  { id: 'text', delivery_ids: 'text[]' },
);
const byOrder = statement<{ id: string; delivery_ids: readonly string[] }>(
  'history-events-of-order',
  `${columns} and order_id = $2 ${range} and ${others} order by id desc limit $5`,
  { id: 'text', delivery_ids: 'text[]' },
);
const byEmail = statement<{ id: string; delivery_ids: readonly string[] }>(
  'history-events-of-email',
  `${columns} and email_key = $2 ${range} and ${others} order by id desc limit $5`,
  { id: 'text', delivery_ids: 'text[]' },
);

/** Events read at once: one has a delivery for each endpoint and for each automation that it starts. */
const chunk = 50;

/**
 * Yields the events that the filters name, newest first, some at a time.
 * @param bounds of the events' ids, both included
 */
export async function* eventsNamed(
  database: Database,
  accountId: string,
  filters: EventFilters,
  bounds: { readonly newest?: string | undefined; readonly oldest?: string | undefined },
): AsyncGenerator<EventDeliveries[]> {
  const { eventId, orderId } = filters;
  const buyer = filters.email === undefined ? null : emailKey(filters.email);
  const [query, key] =
    eventId !== undefined ? [byId, eventId] : orderId !== undefined ? [byOrder, orderId] : [byEmail, buyer];
  for (let newest = bounds.newest ?? afterAllIdsAndSuffixes, count = chunk; count === chunk; ) {
    const values = [accountId, key, newest, bounds.oldest ?? '', chunk + 1, orderId ?? null, buyer];
    const { rows } = await database.pool.query(query(values));
    count = Math.min(rows.length, chunk);
    // One row more is where the next chunk begins.
    newest = rows[chunk]?.id ?? '';
    yield rows.slice(0, chunk).map((row) => ({ id: row.id, deliveryIds: row.delivery_ids.toSorted().reverse() }));
    if (newest === '') return;
  }
}

interface Span {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** @throws DomainError validation_failed when `to` is before `from` */
export function checkSpan({ from, to }: Span): void {
  if (from !== undefined && to !== undefined && Date.parse(to) < Date.parse(from))
    throw invalidField('to', 'must not be before from');
}

/**
 * The events whose deliveries or attempts may have been made between two times: those are made after their event, and
 * at most 31 days after it, because its body is kept for 30. An hour is left for clocks that differ.
 */
export function eventBounds({ from, to }: Span): { oldest?: string; newest?: string } {
  return {
    ...(from === undefined ? {} : { oldest: idFloor('event', Date.parse(from) - 31 * dayMs) }),
    ...(to === undefined ? {} : { newest: idFloor('event', Date.parse(to) + hourMs) }),
  };
}
