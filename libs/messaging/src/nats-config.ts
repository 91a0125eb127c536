import { type ServiceName, serviceNames } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import type { NatsName } from './names.ts';

export type { NatsName } from './names.ts';

import { allStreamCalls, keeperPermissions, type Permissions, permissionsOf, type Topology } from './permissions.ts';

/** 100 orders of 52 lines of 200 characters each, in UTF-8, are 4.5 MB: the largest list that can be. */
const maxPayloadBytes = 8 * 1024 * 1024;
/** A client that hangs is dropped, and its requests go to others, after three silent pings: 15 s and not 6 minutes. */
const pings = 'ping_interval: "5s"\nping_max: 2\n';
/** A process that gets no CPU for two seconds, which is nats-server's own limit, is let in all the same. */
const authorizationSeconds = 10;

/** The users that every nats-server of the platform has. */
export const natsNames: readonly NatsName[] = [...serviceNames, 'keeper'];

/** The environment variable that holds a user's NATS password, for nats-server and for a process that connects as all of them. */
export function natsPasswordVariable(name: NatsName): NatsPasswordVariable {
  return `NATS_PASSWORD_${name.toUpperCase().replaceAll('-', '_')}` as NatsPasswordVariable;
}

type UpperSnake<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Uppercase<Head>}_${UpperSnake<Tail>}`
  : Uppercase<Name>;
export type NatsPasswordVariable = `NATS_PASSWORD_${UpperSnake<NatsName>}`;

export interface ConfiguredUser {
  readonly user: string;
  /** What stands for the password: the password, quoted, or a `$VARIABLE` of the server's environment. */
  readonly password: string;
}

/** What differs between deployments, tests and benches; permissions, exports and imports do not. */
export interface AccountsOptions {
  readonly login: (name: NatsName) => ConfiguredUser;
  /** Follows the accounts' names, where a server has several pairs of them. */
  readonly suffix?: string;
  /** Further users that may do anything in their account: for tests and benches that inspect the server from outside. */
  readonly observers?: { readonly streams?: ConfiguredUser; readonly services?: ConfiguredUser };
  /** Who is linked to whom, in a test. */
  readonly links?: Topology;
}

/** Where the streams of a deployment lie, under the server's store directory. */
export const streamsAccount = 'STREAMS';

/** What holds for every client of a nats-server, with any accounts. */
export const natsLimitsConfig = `max_payload: ${maxPayloadBytes}\n${pings}authorization: { timeout: ${authorizationSeconds} }\n`;

/** The configuration of a nats-server, but for its address and its store directory. */
const natsConfig = (options: AccountsOptions): string => `${natsLimitsConfig}accounts: {\n${natsAccounts(options)}}\n`;

/** As `natsConfig`, for one who has the users' passwords or what stands for them. */
export const natsUsersConfig = (
  password: (name: NatsName) => string,
  more: Omit<AccountsOptions, 'login' | 'suffix'> = {},
): string => natsConfig({ ...more, login: (name) => ({ user: name, password: password(name) }) });

/**
 * Two accounts. JetStream publishes to whatever reply subject a client names, and no permission is checked on it: a publish
 * could empty its publisher's stream by its own acknowledgement. So JetStream has an account of its own with the keeper,
 * and the services reach by imports what they need of it: to publish, to read, to pull and to acknowledge.
 *
 * One export takes the events of all services: nats-server refuses a message that comes through the same export twice, which
 * keeps an acknowledgement from becoming an event. Calls of JetStream's API are imported one by one: 2.9 crashes on an answer
 * that is published to an import with a wildcard and another name.
 */
export function natsAccounts({ login, suffix = '', observers = {}, links = topology }: AccountsOptions): string {
  const streams = `${streamsAccount}${suffix}`;
  const services = `APP${suffix}`;
  const calls = allStreamCalls(links);
  const exported = (subject: string, more = ''): string =>
    `      { service: ${JSON.stringify(subject)}${more}, accounts: [${services}] }\n`;
  const imported = (subject: string, to?: string): string => {
    const named = to === undefined ? '' : `, to: ${JSON.stringify(to)}`;
    return `      { service: { account: ${streams}, subject: ${JSON.stringify(subject)} }${named} }\n`;
  };
  const keeper = userEntry(login('keeper'), keeperPermissions);
  const users = serviceNames.map((service: ServiceName) => userEntry(login(service), permissionsOf(service, links)));
  return `  ${streams}: {
    jetstream: enabled
    users: [
${keeper}${freeEntry(observers.streams)}    ]
    exports: [
${sharedSubjects.map((subject) => exported(subject)).join('')}${exported('$JS.API.STREAM.INFO.*')}${exported('$JS.API.CONSUMER.INFO.*.*')}${exported('$JS.API.CONSUMER.MSG.NEXT.*.*', ', response_type: stream')}    ]
  }
  ${services}: {
    users: [
${users.join('')}${freeEntry(observers.services)}    ]
    imports: [
${sharedSubjects.map((subject) => imported(subject)).join('')}${calls.map(({ name, subject }) => imported(subject, name)).join('')}    ]
  }
`;
}

/** Events, acknowledgements of consumers, and what is asked of the keeper: under the same name in both accounts. */
const sharedSubjects = ['evt.>', '$JS.ACK.>', 'keep.>'];

const freeEntry = (observer: ConfiguredUser | undefined): string =>
  observer === undefined ? '' : `      { user: "${observer.user}", password: ${observer.password} }\n`;

const userEntry = ({ user, password }: ConfiguredUser, { publish, subscribe }: Permissions): string =>
  `      {
        user: "${user}", password: ${password}
        permissions: {
          publish: { allow: ${JSON.stringify(publish)} }
          subscribe: { allow: ${JSON.stringify(subscribe)} }
        }
      }
`;
