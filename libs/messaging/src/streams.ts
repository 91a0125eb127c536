import { isDeepStrictEqual } from 'node:util';
import { streamName, streamSubjects } from '@app/contracts/define';
import { dayMs, minuteMs } from '@app/contracts/durations';
import type { ServiceName } from '@app/contracts/services';
import type { Logger } from '@app/service-kit/logger';
import {
  type Consumer,
  DiscardPolicy,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamState,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { NatsClient } from './connect.ts';
import { type NatsName, streamsApi } from './names.ts';

/** A consumer may be away this long and still miss nothing. Inboxes remember longer: see `inboxKeepDays`. */
export const streamKeepDays = 30;
/** Longer than any republish of the relay after a crash can take. */
const duplicateWindowMs = 10 * minuteMs;

/** The keeper is in the account of the streams; the services reach it through what their own account imports. */
const apiOf = ({ service }: NatsClient<NatsName>) => (service === 'keeper' ? {} : { apiPrefix: streamsApi });

/** The streams as this client may reach them: a service reads its own and its consumers, the keeper changes all. */
export async function openStreams(nats: NatsClient<NatsName>): Promise<JetStreamManager> {
  // Permissions are per stream, not for the account's overview: do not request it.
  return await jetstreamManager(nats.connection, { ...apiOf(nats), checkAPI: false, timeout: 5_000 });
}

/**
 * Opens a consumer that the keeper made.
 * @throws while the stream or the consumer is missing (`isMissing`)
 */
export async function openConsumer(nats: NatsClient<NatsName>, stream: string, name: string): Promise<Consumer> {
  return await jetstream(nats.connection, apiOf(nats)).consumers.get(stream, name);
}

/** About four million events of 1 KB; an order is one. */
export const defaultStreamMaxBytes = 4 * 1024 ** 3;

/** Above this part of its bound a stream is trimmed: at 100 events/s that is once in hours. */
export const trimAbove = 0.8;

export interface StreamBound {
  readonly maxBytes: number;
  readonly logger?: Logger;
}

/**
 * Creates the service's stream or brings its settings up to date. Safe to call at any time, and from two keepers.
 * A full stream refuses new events instead of dropping old ones that a consumer may not have had; nats-server 2.9 is not exact
 * in that, so the relay stops a little earlier (`openStreamRoom`) and its events wait in the outbox.
 * @param replicas copies in a JetStream cluster: 1 on a single server, 3 in production
 */
export async function ensureStream(
  manager: JetStreamManager,
  service: ServiceName,
  replicas: number,
  { maxBytes, logger }: StreamBound = { maxBytes: defaultStreamMaxBytes },
): Promise<StreamState> {
  const settings = {
    subjects: [streamSubjects(service)],
    max_age: nanos(streamKeepDays * dayMs),
    max_bytes: maxBytes,
    discard: DiscardPolicy.New,
    duplicate_window: nanos(duplicateWindowMs),
    num_replicas: replicas,
  };
  try {
    return await applySettings(manager, streamName(service), settings);
  } catch (err) {
    if (!isShortOfStorage(err)) throw err;
    // nats-server sets the bound aside in advance. Events without one are better than none; the disk is watched anyway.
    logger?.warn(
      { stream: streamName(service), maxBytes },
      'the stream has no size limit: nats-server has less storage than STREAM_MAX_BYTES',
    );
    return await applySettings(manager, streamName(service), { ...settings, max_bytes: -1 });
  }
}

type StreamSettings = Partial<StreamConfig> & Pick<StreamConfig, 'max_bytes'>;

async function applySettings(manager: JetStreamManager, name: string, settings: StreamSettings): Promise<StreamState> {
  try {
    const { config, state } = await manager.streams.info(name);
    const changed = { ...settings, max_bytes: boundOf(config, state, settings.max_bytes) };
    // nats-server rewrites the stream's description, and may lose the stream when it is killed while it does.
    return hasSettings(config, changed) ? state : (await manager.streams.update(name, changed)).state;
  } catch (err) {
    if (!isMissing(err)) throw err;
    const added = { storage: StorageType.File, retention: RetentionPolicy.Limits, ...settings, name };
    return (await manager.streams.add(added)).state;
  }
}

/**
 * nats-server drops the oldest events of a stream that holds more than a new bound, whoever still needs them, although the
 * stream refuses new ones otherwise. So a bound is lowered once `keepWithinBound` has trimmed the stream to what the bound
 * has room for, and what is published meanwhile.
 */
function boundOf({ max_bytes: present }: StreamConfig, { bytes }: StreamState, wanted: number): number {
  const lowers = wanted > 0 && (present <= 0 || wanted < present);
  return lowers && bytes > trimAbove * wanted ? present : wanted;
}

function hasSettings(config: StreamConfig, settings: Partial<StreamConfig>): boolean {
  return Object.entries(settings).every(([name, value]) =>
    isDeepStrictEqual(config[name as keyof StreamConfig], value),
  );
}

function isShortOfStorage(err: unknown): boolean {
  const { code, message } = err as { code?: unknown; message?: unknown };
  return code === 10047 || (typeof message === 'string' && message.includes('insufficient storage'));
}

/** Whether JetStream said that the stream or consumer does not exist. */
export function isMissing(err: unknown): boolean {
  const { code, status, name } = err as { code?: number; status?: number; name?: string };
  return (
    name === 'StreamNotFoundError' ||
    name === 'ConsumerNotFoundError' ||
    code === 10059 ||
    code === 10014 ||
    status === 404
  );
}
