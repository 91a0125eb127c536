import { type Database, statement, unnamed } from '@app/service-kit/database';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';
import type { JsMsg } from '@nats-io/jetstream';
import type { PoolClient } from 'pg';
import { forgetAttempts } from './event-attempts.ts';
import { type EventHeaders, headersOf, messageId } from './message.ts';

export interface DeadLetter extends EventHeaders {
  readonly event_id: string;
  readonly stream: string;
  readonly subject: string;
  readonly payload: string;
  readonly error: unknown;
}

/** What keeps an event that came in a message. */
export const letterOf = (message: JsMsg, error: unknown): DeadLetter => ({
  event_id: messageId(message),
  stream: message.info.stream,
  subject: message.subject,
  payload: message.string(),
  ...headersOf(message),
  error,
});

const errorMax = 2_000;

/** PostgreSQL's text holds no zero bytes, which a payload that is no JSON may have. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\ufffd');

export function reasonOf(err: unknown): string {
  const reason = err instanceof Error ? `${err.name}: ${err.message}` : String(err);
  return withoutNul(reason.slice(0, errorMax));
}

const letterTypes: Readonly<Record<keyof DeadLetter, 'text'>> = {
  event_id: 'text',
  stream: 'text',
  subject: 'text',
  payload: 'text',
  request_id: 'text',
  traceparent: 'text',
  error: 'text',
};

const insertStatement = statement(
  'dead-letters-insert',
  `insert into dead_letters (${namesOf(letterTypes)}, replay_requested_at)
  select ${namesOf(letterTypes)}, case when $1 then now() end
  from ${tableOf(letterTypes, 2)}
  on conflict (event_id) do nothing`,
);

/** Keeps events that were given up, in one transaction with the end of their attempts. */
export async function giveUpEvents(database: Database, letters: readonly DeadLetter[]): Promise<void> {
  await database.transaction(async (client) => {
    await insertLetters(client, letters, { replay: false });
    await forgetAttempts(
      client,
      letters.map((letter) => letter.event_id),
    );
  });
}

const givenUpStatement = statement<Pick<DeadLetter, 'event_id' | 'subject' | 'payload'>>(
  'dead-letters-given-up',
  `select event_id, subject, payload from dead_letters
     where event_id = any($1::text[]) and replay_requested_at is null`,
  { event_id: 'text', subject: 'text', payload: 'text' },
);

/** Those that were given up before, and whose replay is not requested. Another event of one's id is not meant. */
export async function givenUpBefore(database: Database, messages: readonly JsMsg[]): Promise<ReadonlySet<JsMsg>> {
  if (messages.length === 0) return new Set();
  const { rows } = await database.pool.query(unnamed(givenUpStatement([messages.map(messageId)])));
  const letters = new Map(rows.map((row) => [row.event_id, row]));
  const isKept = (message: JsMsg): boolean => {
    const letter = letters.get(messageId(message));
    return letter?.subject === message.subject && letter.payload === withoutNul(message.string());
  };
  return new Set(messages.filter(isKept));
}

/** Keeps events, for the running service to handle at once when `replay` is set. */
export async function insertLetters(
  client: { query: PoolClient['query'] },
  letters: readonly DeadLetter[],
  { replay }: { replay: boolean },
): Promise<void> {
  const rows = letters.map((letter) => ({
    ...letter,
    payload: withoutNul(letter.payload),
    error: reasonOf(letter.error),
  }));
  await client.query(unnamed(insertStatement([replay, ...columnsOf(rows, letterTypes)])));
}

export interface LetterFilter {
  readonly subject?: string | undefined;
  readonly eventId?: string | undefined;
}

const filtered = '($1::text is null or subject = $1) and ($2::text is null or event_id = $2)';
const filterValues = ({ subject, eventId }: LetterFilter): (string | null)[] => [subject ?? null, eventId ?? null];

export interface LetterCount {
  readonly subject: string;
  readonly letters: number;
  readonly waiting: number;
  readonly oldest: Date;
}

const countStatement = statement<LetterCount>(
  'dead-letters-count-by-subject',
  `select subject, count(*)::int as letters, count(replay_requested_at)::int as waiting, min(died_at) as oldest
     from dead_letters where ${filtered} group by subject order by subject`,
  { subject: 'text', letters: 'int4', waiting: 'int4', oldest: 'timestamptz' },
);

/** Dead letters of each subject, and how many of them wait for their replay. */
export async function countLetters(database: Database, filter: LetterFilter): Promise<LetterCount[]> {
  return (await database.pool.query(unnamed(countStatement(filterValues(filter))))).rows;
}

export interface ListedLetter {
  readonly event_id: string;
  readonly subject: string;
  readonly error: string;
  readonly died_at: Date;
  readonly payload: string;
}

const listStatement = statement<ListedLetter>(
  'dead-letters-list',
  `select event_id, subject, error, died_at, payload from dead_letters
     where ${filtered} and event_id > $3 order by event_id limit $4`,
  { event_id: 'text', subject: 'text', error: 'text', died_at: 'timestamptz', payload: 'text' },
);

/** Oldest events first: ids are sorted by time. */
export async function listLetters(
  database: Database,
  filter: LetterFilter,
  page: { limit: number; after: string },
): Promise<ListedLetter[]> {
  const values = [...filterValues(filter), page.after, page.limit];
  return (await database.pool.query(unnamed(listStatement(values)))).rows;
}

export interface RequestedReplay {
  readonly eventIds: readonly string[];
  /** By the database's clock. */
  readonly requestedAt: Date;
}

const requestStatement = statement<{ event_id: string; replay_requested_at: Date }>(
  'dead-letters-request-replay',
  `update dead_letters set replay_requested_at = now() where event_id in (
       select event_id from dead_letters where ${filtered} order by event_id limit $3)
     returning event_id, replay_requested_at`,
  { event_id: 'text', replay_requested_at: 'timestamptz' },
);

/** Makes the running service handle dead letters once more, oldest first. */
export async function requestReplay(
  database: Database,
  filter: LetterFilter,
  limit: number,
): Promise<RequestedReplay | undefined> {
  const { rows } = await database.pool.query(unnamed(requestStatement([...filterValues(filter), limit])));
  const [first] = rows;
  if (first === undefined) return undefined;
  return { eventIds: rows.map((row) => row.event_id), requestedAt: first.replay_requested_at };
}

export interface ReplayState {
  /** Still requested, or under way. */
  readonly open: number;
  /** Failed again. */
  readonly failed: number;
}

const stateStatement = statement<ReplayState>(
  'dead-letters-replay-state',
  `select count(*) filter (where replay_requested_at is not null or died_at <= $2)::int as open,
       count(*) filter (where replay_requested_at is null and died_at > $2)::int as failed
     from dead_letters where event_id = any($1::text[])`,
  { open: 'int4', failed: 'int4' },
);

export async function replayState(database: Database, requested: RequestedReplay): Promise<ReplayState> {
  const { rows } = await database.pool.query(unnamed(stateStatement([requested.eventIds, requested.requestedAt])));
  return rows[0] ?? { open: 0, failed: 0 };
}
