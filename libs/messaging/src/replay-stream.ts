import { durableName, type EventDefinition, streamName } from '@app/contracts/define';
import { type Database, statement, unnamed } from '@app/service-kit/database';
import type { JsMsg } from '@nats-io/jetstream';
import { beginReplay, endReplay } from './ask-keeper.ts';
import type { NatsClient } from './connect.ts';
import { insertLetters, letterOf } from './dead-letters.ts';
import { messageId } from './message.ts';
import { replayName } from './names.ts';
import { openConsumer } from './streams.ts';

export interface StreamReplay {
  /** Events of this kind that the stream has since then. */
  readonly read: number;
  /**
   * Those that the inbox does not have: handed to the running service, as dead letters to be replayed. Events that do not
   * concern the service are among them; they have no effect.
   */
  readonly handed: number;
  /** Those that were given up before; they stay dead letters until their replay is requested. */
  readonly dead: number;
}

const batchMax = 500;
const batchWaitMs = 5_000;

/**
 * Scans a stream for events that this service's inbox does not have, and hands them to the running service.
 * An event that is just being delivered may be redelivered too: the inbox drops its second effect.
 * @throws Error when another replay of the same events is running, or the keeper is away
 */
export async function replayStream(
  nats: NatsClient,
  database: Database,
  definition: EventDefinition,
  since: Date,
): Promise<StreamReplay> {
  const stream = streamName(definition.service);
  const name = replayName(durableName(nats.service, definition));
  const pending = await beginReplay(nats, definition, since);
  try {
    const consumer = await openConsumer(nats, stream, name);
    const sum = { read: 0, handed: 0, dead: 0 };
    while (sum.read < pending) {
      const messages: JsMsg[] = [];
      const wanted = Math.min(batchMax, pending - sum.read);
      for await (const message of await consumer.fetch({ max_messages: wanted, expires: batchWaitMs }))
        messages.push(message);
      if (messages.length === 0) throw new Error(`${stream} gave ${sum.read} of ${pending} events and then no more`);
      const found = await handleMissing(database, messages);
      sum.read += messages.length;
      sum.handed += found.handed;
      sum.dead += found.dead;
    }
    return sum;
  } finally {
    await endReplay(nats, definition);
  }
}

const missingStatement = statement<{ event_id: string; dead: boolean }>(
  'inbox-missing',
  `select w.event_id, d.event_id is not null as dead
     from unnest($1::text[]) as w (event_id) left join dead_letters as d on d.event_id = w.event_id
     where not exists (select from inbox as i where i.event_id = w.event_id)`,
  { event_id: 'text', dead: 'bool' },
);

async function handleMissing(
  database: Database,
  messages: readonly JsMsg[],
): Promise<Pick<StreamReplay, 'handed' | 'dead'>> {
  const byId = new Map(messages.map((message) => [messageId(message), message]));
  const { rows } = await database.pool.query(unnamed(missingStatement([[...byId.keys()]])));
  const missing = rows.filter((row) => !row.dead).flatMap((row) => byId.get(row.event_id) ?? []);
  const letters = missing.map((message) => letterOf(message, 'found in the stream and not in the inbox'));
  if (letters.length > 0) await insertLetters(database.pool, letters, { replay: true });
  return { handed: letters.length, dead: rows.length - letters.length };
}
