import type { EventData, EventDefinition, EventEnvelope } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import { currentTraceparent } from '@app/service-kit/tracing';
import type { EntityManager } from '@mikro-orm/postgresql';

/** A row for the outbox table, ready for a statement that inserts many. Once it is committed, `startRelay` publishes it. */
export interface OutboxRow {
  readonly event_id: string;
  readonly subject: string;
  readonly payload: string;
  readonly request_id: string | null;
  readonly traceparent: string | null;
}

export interface EventSource {
  readonly accountId: string;
  readonly requestId: string | null;
  /** When it happened, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Given when the id must be the same should the command be repeated. */
  readonly eventId?: string;
}

/** The row of an event; consumers get it by `onEvent` of the same definition. */
export function outboxRow<E extends EventDefinition>(
  definition: E,
  data: EventData<E>,
  source: EventSource,
): OutboxRow {
  const envelope: EventEnvelope<EventData<E>> = {
    id: source.eventId ?? newId('event', source.nowMs),
    accountId: source.accountId,
    occurredAt: new Date(source.nowMs).toISOString(),
    data,
  };
  return {
    event_id: envelope.id,
    subject: definition.subject,
    payload: JSON.stringify(envelope),
    request_id: source.requestId,
    traceparent: currentTraceparent() ?? null,
  };
}

/** Columns that a statement writes, with their types: for rows as arrays, or as the record of `json_to_recordset`. */
export const outboxTypes: Readonly<Record<keyof OutboxRow, 'text'>> = {
  event_id: 'text',
  subject: 'text',
  payload: 'text',
  request_id: 'text',
  traceparent: 'text',
};
export const outboxColumns = namesOf(outboxTypes);

const insertRows = (parameter: string): string => `insert into outbox (${outboxColumns})
  select ${outboxColumns} from json_to_recordset(${parameter}::json) as e(${recordOf(outboxTypes)})`;

/** For a client that has begun a transaction; the rows as one JSON parameter. */
export const insertOutboxSql = insertRows('$1');
const insertOutboxStatement = statement('outbox-insert', insertOutboxSql);

/** Part of the statement that makes the change: the rows of the parameter are written if the CTE `changed` has a row. */
export const insertOutboxIfAny = (changed: string, parameter: string): string =>
  `${insertRows(parameter)} where exists (select from ${changed})`;

/**
 * Writes events in the entity manager's transaction.
 * @throws Error outside of one: such an event could be lost
 */
export async function addToOutbox(em: EntityManager, rows: readonly OutboxRow[]): Promise<void> {
  if (!em.isInTransaction()) throw new Error('events are written in the transaction of their change');
  if (rows.length > 0) await executeBound(em, insertOutboxStatement([JSON.stringify(rows)]));
}
