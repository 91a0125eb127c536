import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceName } from '@app/contracts/services';
import { type RunningNatsServer, startNatsServer } from '@app/embedded/nats-server';
import { freePort } from '@app/embedded/ports';
import { connectNats } from '@app/messaging/connect';
import { type KeeperOptions, startKeeper } from '@app/messaging/keeper';
import { type AccountsOptions, natsUsersConfig } from '@app/messaging/nats-config';
import { silentLogger } from '@app/service-kit/logger';
// biome-ignore lint/style/noRestrictedImports: an observer is no service
import { jetstreamManager } from '@nats-io/jetstream';
// biome-ignore lint/style/noRestrictedImports: an observer is no service
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { natsImage } from './infra.ts';
import { accountsOfProcess, storageConfig, testCaller, testObserver, testPassword, userOf } from './nats-accounts.ts';
import { testInfra } from './provided.ts';

/**
 * NATS with JetStream, its streams empty. It has the accounts, users and permissions of every deployment, so that a test
 * meets what a deployment would refuse, and a keeper, which is no service.
 */
export interface TestNats {
  url: string;
  /** Options of `connectNats` for a service's own user. */
  login<Name extends ServiceName | 'keeper'>(
    name: Name,
  ): { url: string; service: Name; user: string; password: string };
  /** Settings of a service's process. */
  settings(service: ServiceName): Record<string, string>;
  /** Options of the NATS client for a user that may do anything in the account of the streams, and in that of the services. */
  observer: { servers: string; user: string; pass: string };
  caller: { servers: string; user: string; pass: string };
  /** Ends its keeper and removes its streams. */
  close(): Promise<void>;
}

/** A nats-server that can be killed and come back with the same port and data. */
export interface TestNatsServer extends TestNats {
  port: number;
  /** Where it keeps its streams; only of an embedded server, for tests that damage them. */
  dataDir?: string;
  /** SIGKILL, as in a crash. */
  kill(): Promise<void>;
  /** After `kill`: the same port and the same data. */
  start(): Promise<void>;
  /** An orderly stop and a start. */
  restart(): Promise<void>;
}

/** A connection that may do anything to the streams, with none of the messaging library's code. */
export function connectObserver(nats: TestNats): Promise<NatsConnection> {
  return connect({ ...nats.observer, name: 'test-observer' });
}

/** The same among the services: it reads their requests and answers. */
export function connectCaller(nats: TestNats): Promise<NatsConnection> {
  return connect({ ...nats.caller, name: 'test-caller' });
}

/** With a service's own password and none of our code, as somebody who has stolen it. */
export function connectNatsAs(nats: TestNats, service: ServiceName): Promise<NatsConnection> {
  const { url, user, password } = nats.login(service);
  return connect({ servers: url, user, pass: password, name: 'test-thief' });
}

const accountsInUse = new Set<number>();

/** Accounts of the server that all test files share, for a test that does not stop its server: it costs some milliseconds. */
export async function createTestNats(): Promise<TestNats> {
  const { natsUrl: url } = testInfra();
  const account = accountsOfProcess().find((number) => !accountsInUse.has(number));
  if (account === undefined) throw new Error('more NATS accounts are open in this test file than one process has');
  accountsInUse.add(account);
  const nats = {
    url,
    ...usersOf(url, (name) => userOf(name, account)),
    close: async () => {
      await keeper.close();
      await removeStreams(nats);
      accountsInUse.delete(account);
    },
  };
  // A test process that was killed left some.
  await removeStreams(nats);
  const keeper = await keepStreams(nats);
  return nats;
}

/** As every deployment has one, beside its services. Resolves when all streams are there; @throws why its first look failed */
export async function keepStreams(
  nats: Pick<TestNats, 'login'>,
  options: Partial<KeeperOptions> = {},
): Promise<{ close(): Promise<void> }> {
  const link = await connectNats(nats.login('keeper'));
  const keeper = await startKeeper({ nats: link, logger: silentLogger(), ...options });
  const close = async () => {
    await keeper.close();
    await link.close();
  };
  try {
    await keeper.begun;
  } catch (err) {
    // It would go on, and make the streams of the next test.
    await close();
    throw err;
  }
  return { close };
}

async function removeStreams(nats: TestNats): Promise<void> {
  const connection = await connectObserver(nats);
  try {
    const { streams } = await jetstreamManager(connection);
    for await (const name of streams.names()) await streams.delete(name);
  } finally {
    await connection.close();
  }
}

/**
 * A server of the caller's own, for tests that stop it or give it links of their own: it costs 50 ms and a process.
 * Without a keeper for tests that bring their own (`createBareNatsServer`).
 */
export async function createNatsServer(): Promise<TestNatsServer> {
  const server = await createBareNatsServer();
  const keeper = await keepStreams(server).catch(async (err: unknown) => {
    await server.close();
    throw err;
  });
  return {
    ...server,
    close: async () => {
      await keeper.close();
      await server.close();
    },
  };
}

/**
 * The same without a keeper.
 * @param links who is linked to whom, for tests with events of their own
 */
export async function createBareNatsServer(links?: AccountsOptions['links']): Promise<TestNatsServer> {
  const infra = testInfra();
  if (infra.kind === 'external')
    throw new Error('TEST_INFRA=external: a test that stops its nats-server cannot run on one that is not its own');
  const password = JSON.stringify(testPassword);
  const observers = { streams: { user: testObserver, password }, services: { user: testCaller, password } };
  const users =
    storageConfig + natsUsersConfig(() => password, { observers, ...(links === undefined ? {} : { links }) });
  if (infra.kind === 'testcontainers') return await createContainer(users);
  return await createServer(infra.natsServerBinary ?? '', infra.directory ?? tmpdir(), users);
}

function usersOf(
  url: string,
  user: (name: string) => string = (name) => name,
): Pick<TestNats, 'login' | 'settings' | 'observer' | 'caller'> {
  return {
    login: (service) => ({ url, service, user: user(service), password: testPassword }),
    settings: (service) => ({ NATS_URL: url, NATS_USER: user(service), NATS_PASSWORD: testPassword }),
    observer: { servers: url, user: user(testObserver), pass: testPassword },
    caller: { servers: url, user: user(testCaller), pass: testPassword },
  };
}

async function createServer(binary: string, directory: string, users: string): Promise<TestNatsServer> {
  const dataDir = await mkdtemp(join(directory, 'nats-'));
  const configFile = join(dataDir, 'users.conf');
  await writeFile(configFile, users);
  let server: RunningNatsServer = await startNatsServer({ binary, dataDir, configFile });
  const { url, port } = server;
  const start = async () => {
    server = await startNatsServer({ binary, dataDir, configFile, port });
  };
  return {
    url,
    port,
    dataDir,
    ...usersOf(url),
    start,
    kill: () => server.kill(),
    async restart() {
      await server.stop();
      await start();
    },
    async close() {
      // The data is thrown away: nothing is gained by an orderly stop.
      await server.kill();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function createContainer(users: string): Promise<TestNatsServer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  // A fixed port, because Docker gives a container another free one at each start.
  const port = await freePort();
  const container = await new GenericContainer(natsImage)
    .withCopyContentToContainer([{ content: users, target: '/users.conf' }])
    .withCommand(['-c', '/users.conf', '-js', '-sd', '/data'])
    .withExposedPorts({ container: 4222, host: port })
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  const { getContainerRuntimeClient } = await import('testcontainers');
  const handle = (await getContainerRuntimeClient()).container.getById(container.getId());
  const url = `nats://${container.getHost()}:${port}`;
  return {
    url,
    port,
    ...usersOf(url),
    async kill() {
      await handle.kill({ signal: 'SIGKILL' });
    },
    // Starts a stopped container too, and waits until it listens.
    start: () => container.restart(),
    restart: () => container.restart(),
    async close() {
      await container.stop();
    },
  };
}
