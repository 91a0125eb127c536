import type { ServiceName } from '@app/contracts/services';
import { type Database, statement } from '@app/service-kit/database';
import { type RecordSeconds, timed } from '@app/service-kit/metrics';
import { inBatchSpan } from '@app/service-kit/tracing';
import { SpanKind } from '@opentelemetry/api';
import type { PoolClient } from 'pg';
import { z } from 'zod';
import type { EventHandler, ReceivedEvent } from './event-handler.ts';
import type { EventHeaders } from './message.ts';
import { eventsHandled } from './points.ts';
import { batchSpan, consumeSpan } from './spans.ts';

const envelope = z.object({ id: z.string(), accountId: z.string(), occurredAt: z.string(), data: z.unknown() });

/**
 * Reads its headers only for what the handler wants of them: to read them costs as much as to read the event. A class,
 * because an object literal with getters gets a shape of its own each time, which takes longer than to parse the event.
 */
class ReadEvent implements ReceivedEvent<never> {
  readonly id: string;
  readonly accountId: string;
  readonly occurredAt: string;
  readonly data: never;
  readonly #headers: () => EventHeaders;

  constructor({ id, accountId, occurredAt }: z.infer<typeof envelope>, data: never, headers: () => EventHeaders) {
    this.id = id;
    this.accountId = accountId;
    this.occurredAt = occurredAt;
    this.data = data;
    this.#headers = headers;
  }

  get requestId(): string | null {
    return this.#headers().request_id;
  }

  get traceparent(): string | undefined {
    return this.#headers().traceparent ?? undefined;
  }
}

/**
 * Unknown fields are dropped, so that an older consumer survives a newer producer.
 * @throws Error that names the subject and the fields that cannot be read
 */
export function readEvent(handler: EventHandler, payload: string, headers: () => EventHeaders): ReceivedEvent<never> {
  try {
    const read = envelope.parse(JSON.parse(payload));
    return new ReadEvent(read, handler.definition.data.parse(read.data) as never, headers);
  } catch (err) {
    throw new Error(`${handler.definition.subject} cannot be read: ${(err as Error).message}`);
  }
}

/** The event as one that continues from another span. */
const continuedFrom = (event: ReceivedEvent<never>, traceparent: string | undefined): ReceivedEvent<never> =>
  new ReadEvent(event, event.data, () => ({ request_id: event.requestId, traceparent: traceparent ?? null }));

/** Sorted, so that two batches with the same events wait for each other and never in a circle. */
const insertInboxStatement = statement<{ event_id: string }>(
  'inbox-insert',
  `insert into inbox (event_id) select unnest($1::text[]) as id order by id
    on conflict do nothing returning event_id`,
  { event_id: 'text' },
);

/** Where events take effect: the consuming service and its database. */
export interface ConsumerDeps {
  readonly service: ServiceName;
  readonly database: Database;
  /** Of the work on events that are handled together. */
  readonly duration?: RecordSeconds | undefined;
}

export const announcedOf = ({ id, accountId, data }: ReceivedEvent<unknown>) => ({ id, accountId, data });

/**
 * One transaction: the inbox rows of the events that are new here, and the effects of those that concern the handler.
 * @param alongside what else belongs to that transaction
 */
export async function takeEffect(
  { service, database, duration }: ConsumerDeps,
  { definition, handle, concerns }: EventHandler,
  events: readonly ReceivedEvent<never>[],
  alongside: (client: PoolClient) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const { name, attributes } = batchSpan(definition.service, events.length);
  const items = () => events.map((event) => consumeSpan(definition.subject, service, event));
  const about = {
    'messaging.destination.name': definition.subject,
    'messaging.consumer.group.name': service,
  };
  const span = { service, kind: SpanKind.CONSUMER, attributes, items };
  const work = async (traceparents?: readonly (string | undefined)[]): Promise<void> => {
    const committed: (() => void)[] = [];
    await database.transaction(async (client) => {
      const ids = [...new Set(events.map((event) => event.id))];
      const { rows } = await client.query(insertInboxStatement([ids]));
      const fresh = new Set(rows.map((row) => row.event_id));
      // What an event brings about continues from its being consumed, not from its being published.
      const traced =
        traceparents === undefined ? events : events.map((event, index) => continuedFrom(event, traceparents[index]));
      const news = traced.filter((event) => fresh.delete(event.id) && concerns(event.data));
      if (news.length > 0) await handle(news, client, (work) => committed.push(work));
      await alongside(client);
    });
    for (const work of committed) work();
    eventsHandled.announce(() => ({ service, subject: definition.subject, events: events.map(announcedOf) }));
  };
  await timed(duration, about, () => inBatchSpan(name, span, work));
}
