import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import { statement, unnamed } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { isOutage } from '@app/service-kit/outages';
import type { PoolClient } from 'pg';
import { reasonOf } from './dead-letters.ts';
import type { EventHandler, ReceivedEvent } from './event-handler.ts';
import type { EventHeaders } from './message.ts';
import { eventsGivenUp } from './points.ts';
import { mayBeOneEvent } from './retry-policy.ts';
import { type ConsumerDeps, readEvent, takeEffect } from './take-effect.ts';

export interface ReplaysOptions extends ConsumerDeps {
  readonly handlers: readonly EventHandler[];
  readonly logger: Logger;
  /** Between two scans, each along the index of a table that is nearly always empty. */
  readonly everyMs: number;
}

const batchMax = 100;

/**
 * Handles the dead letters whose replay was requested: by the same handlers as events from the stream, in one
 * transaction with their inbox rows and the end of the letter. One that fails is kept with its new reason.
 */
export function startReplays(options: ReplaysOptions): BackgroundLoop {
  let found = 0;
  let failing = false;
  return startLoop({
    name: `${options.service}.replays`,
    round: async (isClosing) => {
      found = 0;
      found = await replayOnce(options, isClosing);
      failing = false;
    },
    pauseMs: () => (found > 0 ? 0 : options.everyMs),
    onFailure: (err) => {
      // The consumers log an outage; the same line every two seconds would add nothing.
      if (!failing && !isOutage(err)) options.logger.warn({ err }, 'dead letters could not be replayed');
      failing = true;
    },
  });
}

interface LetterRow extends EventHeaders {
  readonly event_id: string;
  readonly subject: string;
  readonly payload: string;
}

/** Those of one kind, the ones that have waited longest: what an outage stopped goes behind all others. */
const takeStatement = statement<LetterRow>(
  'dead-letters-take',
  `update dead_letters set replay_requested_at = null where event_id in (
         select event_id from dead_letters where replay_requested_at is not null and subject = (
           select subject from dead_letters where replay_requested_at is not null and subject = any($1::text[])
           order by replay_requested_at, event_id limit 1)
         order by replay_requested_at, event_id limit ${batchMax} for update skip locked)
       returning event_id, subject, payload, request_id, traceparent`,
  { event_id: 'text', subject: 'text', payload: 'text', request_id: 'text', traceparent: 'text' },
);
const deleteStatement = statement('dead-letters-delete', 'delete from dead_letters where event_id = any($1::text[])');
const keepStatement = statement(
  'dead-letters-keep',
  'update dead_letters set error = $2, died_at = now() where event_id = $1',
);
const requestAgainStatement = statement(
  'dead-letters-request-again',
  'update dead_letters set replay_requested_at = now() where event_id = any($1::text[])',
);

/**
 * The request ends before the attempt: a letter that ends the process is kept, and not retried by itself.
 * @returns how many letters were taken up
 */
async function replayOnce(options: ReplaysOptions, isClosing: () => boolean): Promise<number> {
  const { database, handlers } = options;
  const { rows } = await database.pool.query(
    unnamed(takeStatement([handlers.map((handler) => handler.definition.subject)])),
  );
  const handler = handlers.find(({ definition }) => definition.subject === rows[0]?.subject);
  if (handler === undefined) return 0;
  const taken: Taken = { handler, isClosing, unfinished: new Set(rows.map((row) => row.event_id)) };
  try {
    await replayTogether(options, taken, rows);
  } finally {
    await requestAgain(options, [...taken.unfinished]);
  }
  return rows.length;
}

/** Letters of one kind whose request was taken up. */
interface Taken {
  readonly handler: EventHandler;
  readonly isClosing: () => boolean;
  /** The ids of those that were neither replayed nor kept. */
  readonly unfinished: Set<string>;
}

/** Leaves letters unfinished when the service closes. @throws Error at an outage, likewise */
async function replayTogether(options: ReplaysOptions, taken: Taken, rows: readonly LetterRow[]): Promise<void> {
  try {
    await replay(options, taken.handler, rows);
  } catch (err) {
    if (rows.length > 1) {
      for (const row of rows) if (!taken.isClosing()) await replayTogether(options, taken, [row]);
      return;
    }
    if (!mayBeOneEvent(err)) throw err;
    await keep(options, rows[0] as LetterRow, err);
  }
  for (const row of rows) taken.unfinished.delete(row.event_id);
}

/** When the database itself is away by now, the operator has to request them again. */
async function requestAgain({ database, logger }: ReplaysOptions, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  try {
    await database.pool.query(unnamed(requestAgainStatement([ids])));
  } catch (err) {
    logger.warn({ err, letters: ids.length }, 'requests to replay dead letters were lost in an outage: repeat them');
  }
}

async function replay(options: ReplaysOptions, handler: EventHandler, rows: readonly LetterRow[]): Promise<void> {
  const events: ReceivedEvent<never>[] = rows.map((row) => readEvent(handler, row.payload, () => row));
  const ids = rows.map((row) => row.event_id);
  await takeEffect(options, handler, events, async (client: PoolClient) => {
    await client.query(unnamed(deleteStatement([ids])));
  });
  options.logger.info({ subject: handler.definition.subject, events: ids.length }, 'dead letters replayed');
}

async function keep({ service, database, logger }: ReplaysOptions, row: LetterRow, err: unknown): Promise<void> {
  await database.pool.query(unnamed(keepStatement([row.event_id, reasonOf(err)])));
  logger.error({ err, subject: row.subject, eventId: row.event_id }, 'dead letter failed again');
  eventsGivenUp.announce(() => ({ service, ids: [row.event_id] }));
}
