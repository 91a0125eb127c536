import { durableName, streamName, streamSubjects } from '@app/contracts/define';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { type ServiceLinks, topology } from '@app/contracts/topology';
import { inboxesOf, keeperSubjects, replayName, repliesTo, streamsApi } from './names.ts';

export type Topology = Record<ServiceName, ServiceLinks>;

export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * What a service's NATS user may do: serve its own requests and answer exactly the services that call it, each in the inboxes
 * opened for it, call those it is linked to, publish to its own stream, pull from its own durables and acknowledge, wake its
 * own replicas. It may change no stream and no consumer: that is the keeper's.
 *
 * `allow_responses` would permit the answers too, but nats-server 2.9 then remembers the reply subject of every message
 * it delivers, those of JetStream included, and walks through all of them again and again: at 1,200 events a second the
 * server spends a whole core on that after ten seconds.
 */
export function permissionsOf(service: ServiceName, all: Topology = topology): Permissions {
  const { requests, publishes, consumes } = all[service];
  const { renew, replay } = keeperSubjects(service);
  return {
    publish: [
      ...requests.map((requested) => `svc.${requested}.>`),
      ...requestersOf(service, all).map((requester) => repliesTo(requester, service)),
      `wake.${service}.>`,
      ...(publishes ? [streamSubjects(service), renew] : []),
      ...(consumes.length > 0 ? [replay] : []),
      ...streamCalls(service, all).map(({ name }) => name),
      ...durablesOf(service, all).map(({ stream, durable }) => `$JS.ACK.${stream}.${durable}.>`),
    ],
    subscribe: [`svc.${service}.>`, '$SRV.>', inboxesOf(service), `wake.${service}.>`],
  };
}

const requestersOf = (service: ServiceName, all: Topology): readonly ServiceName[] =>
  serviceNames.filter((requester) => all[requester].requests.includes(service));

interface Durable {
  readonly stream: string;
  readonly durable: string;
}

const durablesOf = (service: ServiceName, all: Topology): Durable[] =>
  all[service].consumes.map((event) => ({
    stream: streamName(event.service),
    durable: durableName(service, event),
  }));

/** What a service calls of JetStream's API: `name` as it calls it, `subject` as JetStream does. */
interface StreamCall {
  readonly name: string;
  readonly subject: string;
}

const streamCall = (call: string): StreamCall => ({ name: `${streamsApi}.${call}`, subject: `$JS.API.${call}` });

/** Reads and pulls alone. The consumer of a replay is made by the keeper and pulled from like a durable. */
function streamCalls(service: ServiceName, all: Topology): StreamCall[] {
  const consumers = durablesOf(service, all).flatMap(({ stream, durable }) => [
    `${stream}.${durable}`,
    `${stream}.${replayName(durable)}`,
  ]);
  return [
    ...(all[service].publishes ? [`STREAM.INFO.${streamName(service)}`] : []),
    ...consumers.flatMap((consumer) => [`CONSUMER.INFO.${consumer}`, `CONSUMER.MSG.NEXT.${consumer}`]),
  ].map(streamCall);
}

/** Every call that any service makes, once. */
export const allStreamCalls = (all: Topology = topology): StreamCall[] =>
  serviceNames.flatMap((service) => streamCalls(service, all));

/**
 * What the keeper may do in the account of the streams: make, read, change and trim streams, make, read and delete
 * consumers, and answer the services. It publishes no events and reads none but the first of a kind. Answers to other
 * accounts go by way of `_R_`.
 */
export const keeperPermissions: Permissions = {
  publish: [
    ...['INFO', 'CREATE', 'UPDATE', 'PURGE', 'MSG.GET'].map((call) => `$JS.API.STREAM.${call}.*`),
    '$JS.API.CONSUMER.INFO.*.*',
    '$JS.API.CONSUMER.LIST.*',
    '$JS.API.CONSUMER.CREATE.*.>',
    '$JS.API.CONSUMER.DELETE.*.*',
    '_R_.>',
  ],
  subscribe: [inboxesOf('keeper'), 'keep.>'],
};
