import type { ServiceName } from '@app/contracts/services';
import { eventsHandled, eventsPublished } from '@app/messaging/points';
import { announced } from './points.ts';
import type { Producers } from './producers.ts';

export interface FollowedProducers extends Producers {
  /** Resolves when the service has handled each event that was published before, as often as it was published. */
  handled(): Promise<void>;
}

/** The same producers, whose events the service under test consumes. */
export function followProducers(producers: Producers, consumer: ServiceName): FollowedProducers {
  const published = new Map<string, number>();
  return {
    ...producers,
    publish: async (definition, event, headers) => {
      await producers.publish(definition, event, headers);
      published.set(event.id, (published.get(event.id) ?? 0) + 1);
    },
    handled: async () => {
      for (const [eventId, times] of published) {
        let handled = 0;
        // One batch may have the event twice.
        await announced(eventsHandled, ({ service, events }) => {
          if (service === consumer) handled += events.filter(({ id }) => id === eventId).length;
          return handled >= times;
        });
      }
    },
  };
}

interface Queryable {
  query(text: string): Promise<{ rows: { event_id: string }[] }>;
}

/** Resolves when each event that is in the service's outbox now is on its stream. */
export async function outboxPublished(database: Queryable): Promise<void> {
  const { rows } = await database.query('select event_id from outbox');
  for (const { event_id } of rows)
    await announced(eventsPublished, ({ events }) => events.some(({ id }) => id === event_id));
}
