import { databaseUrl } from '@app/embedded/databases';
// biome-ignore lint/style/noRestrictedImports: an observer is no service
import { connect, type NatsConnection } from '@nats-io/transport-node';
import pg from 'pg';
import type { Infra } from '../infra.ts';
import { residentMemory } from './cpu.ts';
import { median } from './statistics.ts';

/** A consumer's lag at its worst: events, and the age of the oldest order that it had not handled yet. */
export interface Lag {
  readonly name: string;
  readonly worstEvents: number;
  readonly worstSeconds: number;
}

export interface Observed {
  readonly samples: number;
  /** The relay (orders committed and not published yet), then each consumer of orders. */
  readonly lags: Lag[];
  readonly memory: Record<'platform' | 'nats', MemoryOverTime>;
}

/** Resident megabytes; growth compares the last third of the time with the second, when everything had been warm. */
export interface MemoryOverTime {
  readonly mb: number[];
  readonly growth: number;
}

export interface Watch {
  stop(): Promise<Observed>;
}

const stream = 'EVT_CHECKOUT';
const sampleEveryMs = 1_000;

interface ConsumerInfo {
  readonly name: string;
  readonly config: { readonly filter_subject: string };
  readonly ack_floor: { readonly stream_seq: number };
  /** Not delivered yet, and delivered but not acknowledged: of its own kind of event alone. */
  readonly num_pending: number;
  readonly num_ack_pending: number;
}
interface ConsumerList {
  readonly consumers: readonly ConsumerInfo[] | null;
}
interface StoredMessage {
  readonly message?: { readonly data: string };
}

/** Samples every second while a load runs; a sample is a few requests and one statement on an index. */
export async function watchLag(infra: Infra, platformPid: number): Promise<Watch> {
  const { user, pass } = infra.nats.observer;
  const connection = await connect({ servers: infra.nats.url, user, pass, name: 'bench-observer' });
  const database = new pg.Client({ connectionString: databaseUrl(infra.postgres.url, 'checkout') });
  await database.connect();
  const lags = new Map<string, Lag>();
  const memory = { platform: [] as number[], nats: [] as number[] };
  let samples = 0;
  let failure: unknown;
  const sample = async (): Promise<void> => {
    note(lags, await relayLag(database));
    for (const lag of await consumerLags(connection)) note(lags, lag);
    memory.platform.push(residentMemory(platformPid).nowMb);
    memory.nats.push(residentMemory(infra.nats.pid).nowMb);
    samples += 1;
  };
  let sampling = Promise.resolve();
  const timer = setInterval(() => {
    sampling = sampling.then(sample).catch((err: unknown) => {
      failure = err;
    });
  }, sampleEveryMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await sampling;
      await connection.close();
      await database.end();
      if (failure !== undefined) throw failure;
      const { platform, nats } = memory;
      return { samples, lags: [...lags.values()], memory: { platform: overTime(platform), nats: overTime(nats) } };
    },
  };
}

function note(lags: Map<string, Lag>, { name, worstEvents, worstSeconds }: Lag): void {
  const before = lags.get(name);
  lags.set(name, {
    name,
    worstEvents: Math.max(before?.worstEvents ?? 0, worstEvents),
    worstSeconds: Math.max(before?.worstSeconds ?? 0, worstSeconds),
  });
}

async function relayLag(database: pg.Client): Promise<Lag> {
  const { rows } = await database.query<{ events: number; seconds: number }>(
    `select count(*)::int as events, coalesce(extract(epoch from now() - min(created_at)), 0)::float as seconds
     from outbox where stream_seq is null`,
  );
  return { name: 'relay of checkout', worstEvents: rows[0]?.events ?? 0, worstSeconds: rows[0]?.seconds ?? 0 };
}

async function consumerLags(connection: NatsConnection): Promise<Lag[]> {
  const request = async <T>(verb: string, input: object = {}): Promise<T> =>
    (await connection.request(`$JS.API.${verb}.${stream}`, JSON.stringify(input))).json<T>();
  const { consumers } = await request<ConsumerList>('CONSUMER.LIST', { offset: 0 });
  const ageOfNext = async (subject: string, seq: number): Promise<number> => {
    const { message } = await request<StoredMessage>('STREAM.MSG.GET', { seq, next_by_subj: subject });
    if (message === undefined) return 0;
    const { occurredAt } = JSON.parse(Buffer.from(message.data, 'base64').toString()) as { occurredAt: string };
    return Math.max(0, Date.now() - Date.parse(occurredAt)) / 1_000;
  };
  return await Promise.all(
    (consumers ?? []).map(
      async ({ name, config, ack_floor: floor, num_pending: waiting, num_ack_pending: underWay }) => {
        const worstEvents = waiting + underWay;
        const worstSeconds = worstEvents === 0 ? 0 : await ageOfNext(config.filter_subject, floor.stream_seq + 1);
        return { name, worstEvents, worstSeconds };
      },
    ),
  );
}

function overTime(mb: number[]): MemoryOverTime {
  const third = Math.ceil(mb.length / 3);
  return { mb, growth: median(mb.slice(2 * third)) / median(mb.slice(third, 2 * third)) };
}
