import { streamName, streamSubjects } from '@app/contracts/define';
import type { ServiceName } from '@app/contracts/services';
import { type JetStreamManager, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { NatsLink } from './connect.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** A consumer may be away this long and still miss nothing. Inboxes remember longer: see `inboxKeepDays`. */
export const streamKeepDays = 30;
/** Longer than any republish of the relay after a crash can take. */
const duplicateWindowMs = 10 * 60 * 1000;

export async function openStreams(link: NatsLink): Promise<JetStreamManager> {
  // Permissions are per stream, not for the account's overview: do not ask for it.
  return await jetstreamManager(link.connection, { checkAPI: false, timeout: 5_000 });
}

/**
 * Creates the service's stream or brings its settings up to date. Safe to call from every replica at every start.
 * @param replicas copies in a JetStream cluster: 1 on a single server, 3 in production
 */
export async function ensureStream(manager: JetStreamManager, service: ServiceName, replicas: number): Promise<void> {
  const settings = {
    subjects: [streamSubjects(service)],
    max_age: nanos(streamKeepDays * dayMs),
    duplicate_window: nanos(duplicateWindowMs),
    num_replicas: replicas,
  };
  const name = streamName(service);
  try {
    await manager.streams.update(name, settings);
  } catch (err) {
    if (!isMissing(err)) throw err;
    await manager.streams.add({ name, storage: StorageType.File, retention: RetentionPolicy.Limits, ...settings });
  }
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
