import { durableName, type EventDefinition, streamName } from '@app/contracts/define';
import { minuteMs } from '@app/contracts/durations';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { startLoop } from '@app/service-kit/background-loop';
import type { Logger } from '@app/service-kit/logger';
import type { Check } from '@app/service-kit/service';
import { AckPolicy, DeliverPolicy, type JetStreamManager } from '@nats-io/jetstream';
import { type Msg, nanos } from '@nats-io/transport-node';
import type { z } from 'zod';
import { type keeperAnswer, renewRequest, replayRequest } from './ask-keeper.ts';
import type { NatsClient } from './connect.ts';
import { ensureDurables, renewDurablesPast, type WantedDurable } from './durable.ts';
import { keeperSubjects, replayName } from './names.ts';
import type { Topology } from './permissions.ts';
import { streamsKept } from './points.ts';
import { keepWithinBound } from './stream-bound.ts';
import { defaultStreamMaxBytes, ensureStream, isMissing, openStreams } from './streams.ts';

/**
 * Makes and repairs the streams and their durables, trims the streams, and makes the consumers of replays: at its start,
 * whenever nats-server is back, each minute, and when a service asks. It alone may. It keeps no state: killed at any
 * point, it does again at its next start what was left.
 */
export interface Keeper {
  /** Failing while a stream could not be kept. */
  readonly checks: readonly Check[];
  /** Resolves when all streams are there and kept; @throws the reason why the first look failed */
  readonly begun: Promise<void>;
  close(): Promise<void>;
}

export interface KeeperOptions {
  readonly nats: NatsClient<'keeper'>;
  readonly logger: Logger;
  /** Copies in a JetStream cluster: 1 on a single server, 3 in production. */
  readonly streamReplicas?: number;
  /** How large each stream may become; see `keepWithinBound`. */
  readonly streamMaxBytes?: number;
  /** What differs in tests: who is linked to whom, and how long an event may be worked on. */
  readonly links?: Topology;
  readonly ackWaitMs?: number;
}

const againAfterMs = minuteMs;
const afterFailureMs = 1_000;
/** nats-server removes the consumer of a replay that was killed after this. */
const replayInactiveMs = 30_000;

interface Keeping extends KeeperOptions {
  readonly manager: JetStreamManager;
  readonly links: Topology;
}

export async function startKeeper(options: KeeperOptions): Promise<Keeper> {
  const { nats, logger, links = topology } = options;
  const keeping: Keeping = { ...options, links, manager: await openStreams(nats) };
  const state: { failures: readonly string[]; failed: boolean } = { failures: ['no stream yet'], failed: true };
  const begun = Promise.withResolvers<void>();
  begun.promise.catch(() => undefined);
  const answering = nats.connection.subscribe('keep.>', {
    queue: 'keeper',
    callback: (err, message) => {
      if (err === null) void answer(keeping, message);
    },
  });
  const loop = startLoop({
    name: 'keeper',
    round: async () => {
      if (!nats.connected()) throw new Error('not connected to NATS');
      const failures = await keepAll(keeping);
      state.failures = failures.map(({ stream }) => stream);
      state.failed = failures.length > 0;
      streamsKept.announce(() => ({ failed: state.failures }));
      const [first] = failures;
      if (first !== undefined) throw first.err;
      begun.resolve();
    },
    pauseMs: () => (state.failed ? afterFailureMs : againAfterMs),
    onFailure: (err) => {
      begun.reject(err);
      state.failed = true;
      const level = nats.connected() ? 'warn' : 'debug';
      logger[level]({ err, streams: state.failures }, 'streams could not be kept; trying again');
    },
  });
  const stopListening = nats.onRestored(loop.wake);
  return {
    begun: begun.promise,
    checks: [
      {
        name: 'streams',
        check: async () => {
          if (state.failures.length > 0) throw new Error(`not kept: ${state.failures.join(', ')}`);
        },
      },
    ],
    close: async () => {
      stopListening();
      if (!nats.connection.isClosed()) answering.unsubscribe();
      await loop.close();
    },
  };
}

interface Failure {
  readonly stream: string;
  readonly err: unknown;
}

/** Each stream is tried, whatever became of the others. */
async function keepAll(keeping: Keeping): Promise<readonly Failure[]> {
  const producers = serviceNames.filter((service) => keeping.links[service].publishes);
  const outcomes = await Promise.allSettled(producers.map((service) => keepStream(keeping, service)));
  return outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected'
      ? [{ stream: streamName(producers[index] as ServiceName), err: outcome.reason as unknown }]
      : [],
  );
}

async function keepStream(keeping: Keeping, producer: ServiceName): Promise<void> {
  const { manager, logger, links, streamReplicas = 1, streamMaxBytes = defaultStreamMaxBytes, ackWaitMs } = keeping;
  const bound = { maxBytes: streamMaxBytes, logger };
  const state = await ensureStream(manager, producer, streamReplicas, bound);
  await ensureDurables(manager, producer, consumersOf(producer, links), state, ackWaitMs);
  await keepWithinBound(manager, producer, bound);
}

const consumersOf = (producer: ServiceName, links: Topology): readonly WantedDurable[] =>
  serviceNames.flatMap((consumer) =>
    links[consumer].consumes.filter(({ service }) => service === producer).map((event) => ({ consumer, event })),
  );

type Answer = z.input<typeof keeperAnswer>;

/** What has not the shape of a request is not answered: nobody of the platform asked it. */
async function answer(keeping: Keeping, message: Msg): Promise<void> {
  const asked = readRequest(keeping, message);
  if (asked === undefined || !message.reply) return;
  const { logger } = keeping;
  try {
    const done = await asked();
    message.respond(JSON.stringify(done));
  } catch (err) {
    logger.warn({ err, subject: message.subject }, 'what a service asked could not be done');
    const refused: Answer = { error: (err as Error).message };
    message.respond(JSON.stringify(refused));
  }
}

function readRequest(keeping: Keeping, message: Msg): (() => Promise<Answer>) | undefined {
  const service = serviceNames.find((name) => message.subject.split('.')[1] === name);
  if (service === undefined) return undefined;
  const { renew, replay } = keeperSubjects(service);
  const body = bodyOf(message);
  if (message.subject === renew) {
    const { data } = renewRequest.safeParse(body);
    return data && keeping.links[service].publishes ? () => renewDurables(keeping, service, data.past) : undefined;
  }
  const { data } = replayRequest.safeParse(body);
  const event = keeping.links[service].consumes.find(({ subject }) => subject === data?.event);
  if (message.subject !== replay || data === undefined || event === undefined) return undefined;
  return () => replayFrom(keeping, { consumer: service, event }, data.since);
}

function bodyOf(message: Msg): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}

async function renewDurables(keeping: Keeping, service: ServiceName, past: number): Promise<Answer> {
  await keepStream(keeping, service);
  await renewDurablesPast(keeping.manager, streamName(service), past);
  return {};
}

async function replayFrom({ manager }: Keeping, { consumer, event }: WantedDurable, since: string | null) {
  const stream = streamName(event.service);
  const name = replayName(durableName(consumer, event));
  return since === null
    ? await removeReplay(manager, stream, name)
    : await addReplay(manager, stream, name, event, since);
}

async function addReplay(
  manager: JetStreamManager,
  stream: string,
  name: string,
  { subject }: EventDefinition,
  since: string,
): Promise<Answer> {
  const { num_pending: pending } = await manager.consumers.add(stream, {
    name,
    filter_subject: subject,
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: since,
    ack_policy: AckPolicy.None,
    inactive_threshold: nanos(replayInactiveMs),
    mem_storage: true,
  });
  return { pending };
}

async function removeReplay(manager: JetStreamManager, stream: string, name: string): Promise<Answer> {
  try {
    await manager.consumers.delete(stream, name);
  } catch (err) {
    if (!isMissing(err)) throw err;
  }
  return {};
}
