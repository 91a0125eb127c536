import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import { statement, unnamed } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { isOutage } from '@app/service-kit/outages';
import { columnsOf, tableOf } from '@app/service-kit/row-arrays';
import type { PoolClient } from 'pg';
import { reasonOf } from './dead-letters.ts';
import type { EventHandler, ReceivedEvent } from './event-handler.ts';
import type { EventHeaders } from './message.ts';
import { eventsGivenUp } from './points.ts';
import { decideReplay, mayBeOneEvent } from './retry-policy.ts';
import { type ConsumerDeps, readEvent, takeEffect } from './take-effect.ts';

export interface ReplaysOptions extends ConsumerDeps {
  readonly handlers: readonly EventHandler[];
  readonly logger: Logger;
  /** Between two scans, each along the index of a table that is nearly always empty. */
  readonly everyMs: number;
}

const batchMax = 100;

interface ReplayRun extends ReplaysOptions {
  /** Letters that were taken up and neither replayed nor kept; those that were tried have no time any more. */
  readonly unfinished: Map<string, Date | null>;
  /** Failures of letters that were requested again: in memory, so that a new process begins with none. */
  readonly failures: Map<string, number>;
}

/**
 * Handles the dead letters whose replay was requested: by the same handlers as events from the stream, in one
 * transaction with their inbox rows and the end of the letter. One that fails is kept with its new reason.
 */
export function startReplays(options: ReplaysOptions): BackgroundLoop {
  const run: ReplayRun = { ...options, unfinished: new Map(), failures: new Map() };
  let finished = 0;
  let failing = false;
  const loop = startLoop({
    name: `${options.service}.replays`,
    round: async (isClosing) => {
      finished = 0;
      finished = await replayOnce(run, isClosing);
      failing = false;
    },
    pauseMs: () => (finished > 0 ? 0 : options.everyMs),
    onFailure: (err) => {
      // The consumers log an outage; the same line every two seconds would add nothing.
      if (!failing && !isOutage(err)) options.logger.warn({ err }, 'dead letters could not be replayed');
      failing = true;
    },
  });
  return {
    wake: loop.wake,
    close: async () => {
      await loop.close();
      await requestAgain(run).catch((err: unknown) => {
        const letters = run.unfinished.size;
        options.logger.warn({ err, letters }, 'requests to replay dead letters were lost in an outage: repeat them');
      });
    },
  };
}

interface LetterRow extends EventHeaders {
  readonly event_id: string;
  readonly subject: string;
  readonly payload: string;
}

const requestTypes = { event_id: 'text', requested_at: 'timestamptz' } as const;

/** Those of one kind, the ones that have waited longest: what was tried and requested again goes behind all others. */
export const waitingStatement = statement<{ readonly event_id: string; readonly requested_at: Date }>(
  'dead-letters-waiting',
  `select event_id, replay_requested_at as requested_at from dead_letters
     where replay_requested_at is not null and subject = (
       select subject from dead_letters where replay_requested_at is not null and subject = any($1::text[])
       order by replay_requested_at, event_id limit 1)
     order by replay_requested_at, event_id limit ${batchMax}`,
  requestTypes,
);
const takeStatement = statement<LetterRow>(
  'dead-letters-take',
  `update dead_letters set replay_requested_at = null
     where event_id = any($1::text[]) and replay_requested_at is not null
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
  `update dead_letters l set replay_requested_at = coalesce(rows.requested_at, now())
     from ${tableOf(requestTypes, 1)} where l.event_id = rows.event_id`,
);

/**
 * The request ends before the attempt: a letter that ends the process is kept, and not retried by itself. What an outage
 * left unfinished is requested again, as soon as the database is back.
 * @returns how many letters were replayed or kept
 */
async function replayOnce(run: ReplayRun, isClosing: () => boolean): Promise<number> {
  const { unfinished } = run;
  await requestAgain(run);
  try {
    const rows = await takeUp(run);
    const handler = run.handlers.find(({ definition }) => definition.subject === rows[0]?.subject);
    if (handler === undefined) return 0;
    if (!(await replayTogether(run, handler, rows))) await replayEach(run, handler, rows, isClosing);
    return rows.length - unfinished.size;
  } finally {
    await requestAgain(run);
  }
}

/** They are unfinished before their requests end: whether that was done may stay unknown. What another replica took is not. */
async function takeUp({ database, handlers, unfinished }: ReplayRun): Promise<readonly LetterRow[]> {
  const subjects = handlers.map(({ definition }) => definition.subject);
  const { rows: waiting } = await database.pool.query(unnamed(waitingStatement([subjects])));
  if (waiting.length === 0) return [];
  for (const { event_id, requested_at } of waiting) unfinished.set(event_id, requested_at);
  const { rows } = await database.pool.query(unnamed(takeStatement([[...unfinished.keys()]])));
  const taken = new Map(rows.map((row) => [row.event_id, row]));
  for (const { event_id } of waiting) if (!taken.has(event_id)) unfinished.delete(event_id);
  return waiting.flatMap(({ event_id }) => taken.get(event_id) ?? []);
}

async function requestAgain({ database, unfinished }: ReplayRun): Promise<void> {
  if (unfinished.size === 0) return;
  const requests = [...unfinished].map(([event_id, requested_at]) => ({ event_id, requested_at }));
  await database.pool.query(unnamed(requestAgainStatement(columnsOf(requests, requestTypes))));
  unfinished.clear();
}

/** @returns whether several letters took effect together; one is replayed by itself */
async function replayTogether(run: ReplayRun, handler: EventHandler, rows: readonly LetterRow[]): Promise<boolean> {
  if (rows.length === 1) return false;
  try {
    await replay(run, handler, rows);
    return true;
  } catch {
    return false;
  }
}

/** Leaves letters unfinished when the service closes. @throws Error at an outage, likewise */
async function replayEach(
  run: ReplayRun,
  handler: EventHandler,
  rows: readonly LetterRow[],
  isClosing: () => boolean,
): Promise<void> {
  let outages = 0;
  for (const row of rows) {
    if (isClosing()) return;
    try {
      await replay(run, handler, [row]);
      outages = 0;
    } catch (err) {
      outages = isOutage(err) ? outages + 1 : 0;
      await keepOrLeave(run, row, err, outages);
    }
  }
}

/** @throws what it is given, at an outage */
async function keepOrLeave(run: ReplayRun, row: LetterRow, err: unknown, outages: number): Promise<void> {
  const { unfinished, failures } = run;
  unfinished.set(row.event_id, null);
  const attempts = (failures.get(row.event_id) ?? 0) + 1;
  const verdict = decideReplay(err, attempts, outages);
  if (verdict === 'keep') return await keep(run, row, err);
  if (mayBeOneEvent(err)) failures.set(row.event_id, attempts);
  if (verdict === 'outage') throw err;
}

async function replay(run: ReplayRun, handler: EventHandler, rows: readonly LetterRow[]): Promise<void> {
  const events: ReceivedEvent<never>[] = rows.map((row) => readEvent(handler, row.payload, () => row));
  const ids = rows.map((row) => row.event_id);
  await takeEffect(run, handler, events, async (client: PoolClient) => {
    await client.query(unnamed(deleteStatement([ids])));
  });
  finish(run, ids);
  run.logger.info({ subject: handler.definition.subject, events: ids.length }, 'dead letters replayed');
}

async function keep(run: ReplayRun, row: LetterRow, err: unknown): Promise<void> {
  const { service, database, logger } = run;
  await database.pool.query(unnamed(keepStatement([row.event_id, reasonOf(err)])));
  finish(run, [row.event_id]);
  logger.error({ err, subject: row.subject, eventId: row.event_id }, 'dead letter failed again');
  eventsGivenUp.announce(() => ({ service, ids: [row.event_id] }));
}

function finish({ unfinished, failures }: ReplayRun, ids: readonly string[]): void {
  for (const id of ids) {
    unfinished.delete(id);
    failures.delete(id);
  }
}
