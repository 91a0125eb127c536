import { durableName, streamName } from '@app/contracts/define';
import { topology } from '@app/contracts/topology';
import { type Database, statement } from '@app/service-kit/database';
import { observeGauges, type Reading, serviceGauge } from '@app/service-kit/metrics';
import type { NatsClient } from './connect.ts';
import { openStreams } from './streams.ts';

/** Counting stops here, at some 20 ms. An outbox that long is an outage, however much longer it is. */
const outboxCountMax = 100_000;
const deadLettersCountMax = 10_000;

const outboxEvents = serviceGauge(
  'outbox.events',
  '{event}',
  `Events not published yet, counted up to ${outboxCountMax}`,
);
const outboxAge = serviceGauge(
  'outbox.oldest_event.age',
  's',
  'How long the oldest event has waited to be published, 0 when none waits',
);
const deadLetters = serviceGauge(
  'dead_letters',
  '{event}',
  `Events given up and kept, counted up to ${deadLettersCountMax}`,
);
const pending = serviceGauge('nats.consumer.pending', '{event}', 'Events that the durable has not delivered yet');
const ackPending = serviceGauge('nats.consumer.ack_pending', '{event}', 'Events delivered and not acknowledged');

/** Along the index of unpublished rows, in its order, as the relay reads them. */
const outboxStatement = statement<{ events: number; age: number }>(
  'outbox-backlog',
  `select count(*)::int as events,
     coalesce(extract(epoch from clock_timestamp() - (
       select created_at from outbox where stream_seq is null order by id limit 1)), 0)::float8 as age
   from (select id from outbox where stream_seq is null order by id limit ${outboxCountMax}) as waiting`,
  { age: 'float8', events: 'int4' },
);

/** Along the index that retention uses, whose entries are all it reads. */
const deadLettersStatement = statement<{ events: number }>(
  'dead-letters-count',
  `select count(*)::int as events from (select died_at from dead_letters order by died_at limit ${deadLettersCountMax}) as dead`,
  { events: 'int4' },
);

/**
 * What a service has not got on with: events that wait for the stream, events that wait for it, and those it gave up.
 * Read when a collector collects, with a statement for each table and a request to NATS for each durable.
 */
export function observeBacklog(nats: NatsClient, database: Database): { close(): void } {
  const { publishes, consumes } = topology[nats.service];
  const observed = [
    ...(publishes ? [observeGauges(nats.service, [outboxEvents, outboxAge], () => readOutbox(database))] : []),
    ...(consumes.length === 0
      ? []
      : [
          observeGauges(nats.service, [deadLetters], () => readDeadLetters(database)),
          observeGauges(nats.service, [pending, ackPending], () => readLag(nats)),
        ]),
  ];
  return {
    close: () => {
      for (const entry of observed) entry.close();
    },
  };
}

async function readOutbox({ pool }: Database): Promise<Reading[]> {
  const { rows } = await pool.query(outboxStatement());
  return rows.flatMap(({ events, age }) => [
    { gauge: outboxEvents, value: events },
    { gauge: outboxAge, value: age },
  ]);
}

async function readDeadLetters({ pool }: Database): Promise<Reading[]> {
  const { rows } = await pool.query(deadLettersStatement());
  return rows.map(({ events }) => ({ gauge: deadLetters, value: events }));
}

/** A durable that is not there yet is left out: its producer has not started once. */
async function readLag(nats: NatsClient): Promise<Reading[]> {
  if (!nats.connected()) return [];
  const manager = await openStreams(nats);
  const read = topology[nats.service].consumes.map(async (event): Promise<Reading[]> => {
    const info = await manager.consumers.info(streamName(event.service), durableName(nats.service, event));
    const attributes = {
      'messaging.system': 'nats',
      'messaging.destination.name': event.subject,
      'messaging.consumer.group.name': nats.service,
    };
    return [
      { gauge: pending, value: info.num_pending, attributes },
      { gauge: ackPending, value: info.num_ack_pending, attributes },
    ];
  });
  const outcomes = await Promise.allSettled(read);
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
}
