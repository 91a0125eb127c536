import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ServiceName } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { type Database, openDatabase } from '@app/service-kit/database';
import { connectNats } from './connect.ts';
import { countLetters, type LetterFilter, listLetters, replayState, requestReplay } from './dead-letters.ts';
import { type NatsSettings, natsOptions } from './nats-options.ts';
import { replayStream } from './replay-stream.ts';

/** A service's own settings: it needs no password of the service that published. */
export interface EventsSettings extends NatsSettings {
  readonly DATABASE_URL: string;
}

const usage = `Events that this service gave up (dead letters), and events it missed.

  count          [--subject evt.…]                                how many, by subject
  list           [--subject evt.…] [--limit 20] [--after evt_…] [--payload]
  replay         [--subject evt.…] [--id evt_…] [--limit 1000]    handle them once more
  replay-stream  --since 2026-01-31T12:00:00Z [--subject evt.…]   handle what the stream has since then and the inbox
                                                                  has not

The running service does the work, each event at most once. This command requests it and waits for the result.
`;

class UsageError extends Error {}

const options = {
  subject: { type: 'string' },
  id: { type: 'string' },
  since: { type: 'string' },
  after: { type: 'string' },
  limit: { type: 'string' },
  payload: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

interface Command {
  readonly service: ServiceName;
  readonly settings: EventsSettings;
  readonly database: Database;
  readonly values: Values;
  readonly filter: LetterFilter;
  readonly print: (line: string) => void;
}

const limitMax = 10_000;

const commands: Record<string, (command: Command) => Promise<void>> = {
  count: printCounts,
  list: printList,
  replay: replayLetters,
  'replay-stream': replayMissed,
};

/**
 * What `node src/main.ts events` of every service does.
 * @param readSettings called once the arguments are understood; throws for settings that are not usable
 * @returns the exit code
 */
export async function runEventsCommand(
  service: ServiceName,
  readSettings: () => EventsSettings,
  args: readonly string[],
  print: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const run = positionals.length === 1 ? commands[positionals[0] ?? ''] : undefined;
    if (run === undefined) throw new UsageError('say what to do');
    const settings = readSettings();
    const applicationName = `${service}-events`;
    const database = await openDatabase({
      url: settings.DATABASE_URL,
      applicationName,
      poolMax: 2,
      entities: [],
      migrations: [],
    });
    try {
      await run({
        service,
        settings,
        database,
        values,
        filter: { subject: values.subject, eventId: values.id },
        print,
      });
    } finally {
      await database.close();
    }
    return 0;
  } catch (err) {
    print(`${service}: ${(err as Error).message}`);
    if (err instanceof UsageError || (err as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) print(usage);
    return 1;
  }
}

function limitOf({ limit }: Values, fallback: number): number {
  const given = limit === undefined ? fallback : Number(limit);
  if (!Number.isInteger(given) || given < 1 || given > limitMax)
    throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}`);
  return given;
}

async function printCounts({ service, database, filter, print }: Command): Promise<void> {
  const counts = await countLetters(database, filter);
  for (const { subject, letters, waiting, oldest } of counts) {
    print(
      `${letters}  ${subject}  oldest given up ${oldest.toISOString()}${waiting > 0 ? `, ${waiting} to be replayed` : ''}`,
    );
  }
  print(`${service}: ${total(counts)} dead letters`);
}

const total = (counts: readonly { letters: number }[]): number => counts.reduce((sum, { letters }) => sum + letters, 0);

async function printList({ service, database, values, filter, print }: Command): Promise<void> {
  const page = { limit: limitOf(values, 20), after: values.after ?? '' };
  const letters = await listLetters(database, filter, page);
  for (const { event_id, subject, died_at, error, payload } of letters) {
    print(`${died_at.toISOString()}  ${event_id}  ${subject}  ${error.replaceAll(/\s+/g, ' ').slice(0, 200)}`);
    if (values.payload) print(payload);
  }
  const last = letters.at(-1);
  const more = last !== undefined && letters.length === page.limit ? `; go on with --after ${last.event_id}` : '';
  print(`${service}: ${letters.length} of ${total(await countLetters(database, filter))} dead letters${more}`);
}

/** The service checks every two seconds; one that has done nothing for so long is not running, or hangs. */
const patienceMs = 30_000;
const checkEveryMs = 500;

async function replayLetters({ service, database, values, filter, print }: Command): Promise<void> {
  const requested = await requestReplay(database, filter, limitOf(values, 1_000));
  if (requested === undefined) return print(`${service}: no dead letters`);
  const count = requested.eventIds.length;
  const { open, failed } = await untilDone(() => replayState(database, requested));
  print(`${service}: ${count} requested, ${count - open - failed} replayed, ${failed} failed again and were kept`);
  if (open > 0) throw new Error(`${open} are still waiting: is the service running?`);
}

async function replayMissed({ service, settings, database, values, filter, print }: Command): Promise<void> {
  const since = new Date(values.since ?? '');
  if (Number.isNaN(since.getTime())) throw new UsageError('--since must be a time such as 2026-01-31T12:00:00Z');
  const consumed = topology[service].consumes;
  const wanted = consumed.filter((event) => filter.subject === undefined || filter.subject === event.subject);
  if (wanted.length === 0)
    throw new UsageError(`--subject must be one of ${consumed.map((event) => event.subject).join(', ')}`);
  const nats = await connectNats({ ...natsOptions(settings), service });
  try {
    for (const event of wanted) {
      const { read, handed, dead } = await replayStream(nats, database, event, since);
      print(
        `${event.subject}: ${read} since ${since.toISOString()}, ${handed} were not in the inbox, ${dead} are dead letters`,
      );
      const waiting = async () => {
        const counts = await countLetters(database, { subject: event.subject });
        return { open: counts.reduce((sum, count) => sum + count.waiting, 0) };
      };
      const { open } = await untilDone(waiting);
      if (open > 0) throw new Error(`${open} are still waiting: is the service running?`);
      const kept = total(await countLetters(database, { subject: event.subject }));
      print(`${event.subject}: nothing waits any more, ${kept} dead letters`);
    }
  } finally {
    await nats.close();
  }
}

/** Waits for as long as something is open and it becomes less. */
async function untilDone<State extends { open: number }>(check: () => Promise<State>): Promise<State> {
  let state = await check();
  let giveUpAtMs = performance.now() + patienceMs;
  while (state.open > 0 && performance.now() < giveUpAtMs) {
    await sleep(checkEveryMs);
    const next = await check();
    if (next.open < state.open) giveUpAtMs = performance.now() + patienceMs;
    state = next;
  }
  return state;
}
