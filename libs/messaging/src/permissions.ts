import { streamName, streamSubjects } from '@app/contracts/define';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { inboxPrefix } from './connect.ts';

export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * What a service's NATS user may do: answer its own requests, ask those it is linked to, publish to its own stream,
 * consume through its own durables, wake its own replicas. Metrics cannot publish an order, and nobody reads another's answers.
 */
export function permissionsOf(service: ServiceName): Permissions {
  const links = topology[service];
  return {
    publish: [
      ...links.asks.map((asked) => `svc.${asked}.>`),
      ...(links.publishes ? [streamSubjects(service), ...ownStreamApi(streamName(service))] : []),
      `wake.${service}.>`,
      ...links.consumes.flatMap((source) => consumerApi(streamName(source), service)),
    ],
    subscribe: [`svc.${service}.>`, '$SRV.>', `${inboxPrefix(service)}.>`, `wake.${service}.>`],
  };
}

/** A stream is its producer's: whoever may change its settings could empty it. */
const ownStreamApi = (stream: string): string[] =>
  ['CREATE', 'UPDATE', 'INFO'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`);

const consumerApi = (stream: string, durable: string): string[] => [
  `$JS.API.STREAM.INFO.${stream}`,
  `$JS.API.CONSUMER.CREATE.${stream}.${durable}`,
  `$JS.API.CONSUMER.CREATE.${stream}.${durable}.>`,
  `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${durable}`,
  `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
  `$JS.ACK.${stream}.${durable}.>`,
];

/** 100 orders of 52 lines of 200 characters each, in UTF-8, are 4.5 MB: the largest list that can be. */
export const maxPayloadBytes = 8 * 1024 * 1024;

/**
 * The users section of a nats-server configuration.
 * @param password what stands for a service's password: the password, quoted, or a `$VARIABLE` of the environment
 */
export function natsUsersConfig(password: (service: ServiceName) => string): string {
  const users = serviceNames.map((service) => {
    const { publish, subscribe } = permissionsOf(service);
    return [
      '    {',
      `      user: "${service}", password: ${password(service)}`,
      '      permissions: {',
      `        publish: { allow: ${JSON.stringify(publish)} }`,
      `        subscribe: { allow: ${JSON.stringify(subscribe)} }`,
      '        allow_responses: true',
      '      }',
      '    }',
    ].join('\n');
  });
  return `max_payload: ${maxPayloadBytes}\nauthorization: {\n  users: [\n${users.join('\n')}\n  ]\n}\n`;
}
