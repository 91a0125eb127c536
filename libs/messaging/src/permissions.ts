import { durableName, type EventDefinition, streamName, streamSubjects } from '@app/contracts/define';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { type ServiceLinks, topology } from '@app/contracts/topology';
import { inboxPrefix, replayName } from './names.ts';

type Topology = Record<ServiceName, ServiceLinks>;

export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * What a service's NATS user may do: serve its own requests and answer exactly the services that call it, call those it is
 * linked to, publish to its own stream, consume through its own durables, wake its own replicas. Metrics cannot publish
 * an order, and no service reads another's answers.
 *
 * `allow_responses` would permit the answers too, but nats-server 2.9 then remembers the reply subject of every message
 * it delivers, those of JetStream included, and walks through all of them again and again: at 1,200 events a second the
 * server spends a whole core on that after ten seconds.
 */
function permissionsOf(service: ServiceName, all: Topology = topology): Permissions {
  const links = all[service];
  return {
    publish: [
      ...links.requests.map((requested) => `svc.${requested}.>`),
      ...requestersOf(service, all).map((requester) => `${inboxPrefix(requester)}.>`),
      ...(links.publishes ? [streamSubjects(service), ...ownStreamApi(streamName(service))] : []),
      `wake.${service}.>`,
      ...links.consumes.flatMap((event) => eventApi(service, event)),
      ...[...new Set(links.consumes.map((event) => `$JS.API.STREAM.INFO.${streamName(event.service)}`))],
    ],
    subscribe: [`svc.${service}.>`, '$SRV.>', `${inboxPrefix(service)}.>`, `wake.${service}.>`],
  };
}

const requestersOf = (service: ServiceName, all: Topology): readonly ServiceName[] =>
  serviceNames.filter((requester) => all[requester].requests.includes(service));

/** A stream is its producer's: a service that may change its settings could empty it. */
const ownStreamApi = (stream: string): string[] => [
  ...['CREATE', 'UPDATE', 'INFO', 'PURGE'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
  `$JS.API.STREAM.MSG.GET.${stream}`,
  `$JS.API.CONSUMER.LIST.${stream}`,
  ...['CREATE', 'DELETE'].map((verb) => `$JS.API.CONSUMER.${verb}.${stream}.>`),
];

/** The durable of one kind of event, and the consumer that a replay of the stream makes for a while. */
function eventApi(service: ServiceName, event: EventDefinition): string[] {
  const stream = streamName(event.service);
  const durable = durableName(service, event);
  return [...consumerApi(stream, durable), ...consumerApi(stream, replayName(durable))];
}

const consumerApi = (stream: string, durable: string): string[] => [
  `$JS.API.CONSUMER.CREATE.${stream}.${durable}`,
  `$JS.API.CONSUMER.CREATE.${stream}.${durable}.>`,
  `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${durable}`,
  `$JS.API.CONSUMER.DELETE.${stream}.${durable}`,
  `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
  `$JS.ACK.${stream}.${durable}.>`,
];

/** 100 orders of 52 lines of 200 characters each, in UTF-8, are 4.5 MB: the largest list that can be. */
const maxPayloadBytes = 8 * 1024 * 1024;

/** The environment variable that holds a service's NATS password, for nats-server and for a process that connects as all of them. */
export function natsPasswordVariable(service: ServiceName): NatsPasswordVariable {
  return `NATS_PASSWORD_${service.toUpperCase().replaceAll('-', '_')}` as NatsPasswordVariable;
}

type UpperSnake<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Uppercase<Head>}_${UpperSnake<Tail>}`
  : Uppercase<Name>;
export type NatsPasswordVariable = `NATS_PASSWORD_${UpperSnake<ServiceName>}`;

/** A client that hangs is dropped, and its requests go to others, after three silent pings: 15 s and not 6 minutes. */
const pings = 'ping_interval: "5s"\nping_max: 2\n';
/** A process that gets no CPU for two seconds, which is nats-server's own limit, is let in all the same. */
const authorizationSeconds = 10;

export interface ConfiguredUser {
  readonly user: string;
  /** What stands for the password: the password, quoted, or a `$VARIABLE` of the server's environment. */
  readonly password: string;
}

/** What holds for every client of a nats-server, with any users. */
export const natsLimitsConfig = `max_payload: ${maxPayloadBytes}\n${pings}`;

/**
 * The users section of a nats-server configuration.
 * @param password what stands for a service's password, as in `ConfiguredUser`
 * @param all who is linked to whom, in a test
 * @param unrestricted further users that may do anything: for tests and benchmarks that inspect the server from outside
 */
export function natsUsersConfig(
  password: (service: ServiceName) => string,
  unrestricted: readonly ConfiguredUser[] = [],
  all: Topology = topology,
): string {
  const users = natsUsers((service) => ({ user: service, password: password(service) }), unrestricted, all);
  return `${natsLimitsConfig}authorization: {\n  timeout: ${authorizationSeconds}\n  users: ${users}\n}\n`;
}

/** The list of users, with their permissions. */
export function natsUsers(
  login: (service: ServiceName) => ConfiguredUser,
  unrestricted: readonly ConfiguredUser[],
  all: Topology = topology,
): string {
  const users = [
    ...serviceNames.map((service) => serviceUser(login(service), permissionsOf(service, all))),
    ...unrestricted.map(({ user, password }) => `    { user: "${user}", password: ${password} }`),
  ];
  return `[\n${users.join('\n')}\n  ]`;
}

function serviceUser({ user, password }: ConfiguredUser, { publish, subscribe }: Permissions): string {
  return [
    '    {',
    `      user: "${user}", password: ${password}`,
    '      permissions: {',
    `        publish: { allow: ${JSON.stringify(publish)} }`,
    `        subscribe: { allow: ${JSON.stringify(subscribe)} }`,
    '      }',
    '    }',
  ].join('\n');
}
