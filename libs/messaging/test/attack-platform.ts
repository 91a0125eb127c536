import { defineRequest, durableName, streamName } from '@app/contracts/define';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { connectCaller, connectObserver, type TestNatsServer } from '@app/testing/nats';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { createInbox, type NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { onRequestAcrossAccounts, serveRequests } from '../src/serve-requests.ts';
import { logger } from './harness.ts';

/** A request that each service answers in these tests. */
export const requestOf = (service: ServiceName) =>
  defineRequest('read', service, 'test.answer', { input: z.any(), output: z.object({ by: z.string() }) });

/** A durable, and the subject that acknowledges the event which its consumer is working on. */
export interface AttackedDurable {
  readonly consumer: ServiceName;
  readonly stream: string;
  readonly name: string;
  readonly ack: string;
}

/** All services, each with its own user: they answer requests, have events in their streams and work on some. */
export interface AttackedPlatform {
  readonly clients: ReadonlyMap<ServiceName, NatsClient>;
  readonly durables: readonly AttackedDurable[];
  readonly observer: NatsConnection;
  readonly caller: NatsConnection;
  readonly manager: JetStreamManager;
  /** Requests that were begun, as `callee`. */
  readonly answered: ServiceName[];
  /** What an attack must not change: all streams and consumers, but for what `attacker` may change of its own. */
  state(attacker: ServiceName): Promise<unknown>;
  close(): Promise<void>;
}

export const producers = serviceNames.filter((service) => topology[service].publishes);

export async function openAttackedPlatform(nats: TestNatsServer): Promise<AttackedPlatform> {
  const observer = await connectObserver(nats);
  const caller = await connectCaller(nats);
  const manager = await jetstreamManager(observer);
  const clients = new Map<ServiceName, NatsClient>();
  const answered: ServiceName[] = [];
  const closers: (() => Promise<void>)[] = [];
  for (const service of serviceNames) {
    const client = await connectNats({ ...nats.login(service), logger });
    clients.set(service, client);
    const answer = onRequestAcrossAccounts(requestOf(service), async () => {
      answered.push(service);
      return { by: service };
    });
    const served = await serveRequests(client, { version: '0.0.1', description: service, handlers: [answer], logger });
    closers.push(async () => {
      await served.close();
      await client.close();
    });
  }
  const durables: AttackedDurable[] = [];
  for (const consumer of serviceNames) {
    for (const event of topology[consumer].consumes) {
      const stream = streamName(event.service);
      await observer.request(event.subject, '{}');
      const name = durableName(consumer, event);
      durables.push({ consumer, stream, name, ack: await beginWork(observer, stream, name) });
    }
  }
  for (const producer of producers) await observer.request(`evt.${producer}.test.happened.v1`, '{}');
  return {
    clients,
    durables,
    observer,
    caller,
    manager,
    answered,
    state: (attacker) => stateOf(manager, attacker),
    close: async () => {
      for (const close of closers) await close();
      await observer.close();
      await caller.close();
    },
  };
}

/** Pulls an event and leaves it unacknowledged. @returns the subject that acknowledges it */
async function beginWork(observer: NatsConnection, stream: string, name: string): Promise<string> {
  const pulled = Promise.withResolvers<string>();
  const inbox = createInbox();
  // The event keeps its own subject, which is not the inbox's.
  observer.subscribe(inbox, { max: 1, callback: (_err, { reply = '' }) => pulled.resolve(reply) });
  observer.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`, '1', { reply: inbox });
  return await pulled.promise;
}

async function stateOf(manager: JetStreamManager, attacker: ServiceName) {
  const streams: Record<string, unknown> = {};
  for await (const { config, state } of manager.streams.list()) {
    const own = config.name === streamName(attacker);
    // Of its own stream it may only make more.
    const kept = own ? { first: state.first_seq, gaps: state.num_deleted ?? 0 } : { ...state, consumer_count: 0 };
    const consumers: Record<string, unknown> = {};
    for await (const info of manager.consumers.list(config.name)) {
      const { name, delivered, ack_floor, num_ack_pending } = info;
      // Its own events go to the consumers of others; what it works on itself is its own affair.
      if (!name.startsWith(`${attacker}_`))
        consumers[name] = { config: info.config, delivered, ack_floor, num_ack_pending };
    }
    streams[config.name] = { config, kept, consumers };
  }
  return streams;
}
