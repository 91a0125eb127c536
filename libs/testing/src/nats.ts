import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceName } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { type RunningNatsServer, startNatsServer } from '@app/embedded/nats-server';
import { freePort } from '@app/embedded/ports';
import { natsUsersConfig } from '@app/messaging/permissions';
// biome-ignore lint/style/noRestrictedImports: an observer is no service
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { natsImage } from './infra.ts';
import { testInfra } from './provided.ts';

/**
 * A nats-server with JetStream that can be killed and come back with the same port and data. It has the users and
 * permissions of every deployment, so that a test meets what a deployment would refuse.
 */
export interface TestNats {
  url: string;
  port: number;
  /** Where it keeps its streams; only of an embedded server, for tests that damage them. */
  dataDir?: string;
  /** Options of `connectNats` for a service's own user. */
  login(service: ServiceName): { url: string; service: ServiceName; user?: string; password?: string };
  /** Settings of a service's process. */
  settings(service: ServiceName): Record<string, string>;
  /** Options of the NATS client for a user that may look at everything. */
  observer: { servers: string; user?: string; pass?: string };
  /** SIGKILL, as in a crash. */
  kill(): Promise<void>;
  /** After `kill`: the same port and the same data. */
  start(): Promise<void>;
  /** An orderly stop and a start. */
  restart(): Promise<void>;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

/** A connection that may look at everything, with none of the messaging library's code. */
export function connectObserver(nats: TestNats): Promise<NatsConnection> {
  return connect({ ...nats.observer, name: 'test-observer' });
}

/**
 * A server for the calling test file alone: streams belong to a whole server, so files would meet on a shared one.
 * @param links who is linked to whom, for tests with events of their own
 */
export async function createTestNats(links = topology): Promise<TestNats> {
  const infra = testInfra();
  const users = usersConfig(links);
  if (infra.kind === 'embedded')
    return await createServer(infra.natsServerBinary ?? '', infra.directory ?? tmpdir(), users);
  if (infra.kind === 'testcontainers') return await createContainer(users);
  return sharedServer(infra.natsUrl ?? '');
}

const password = 'test-password';
const observer = 'test-observer';

/** What `npm start`, compose and k8s give nats-server, and one user more for tests. */
const usersConfig = (links: typeof topology): string =>
  natsUsersConfig(() => JSON.stringify(password), [{ user: observer, password: JSON.stringify(password) }], links);

function usersOf(url: string): Pick<TestNats, 'login' | 'settings' | 'observer'> {
  return {
    login: (service) => ({ url, service, user: service, password }),
    settings: (service) => ({ NATS_URL: url, NATS_USER: service, NATS_PASSWORD: password }),
    observer: { servers: url, user: observer, pass: password },
  };
}

async function createServer(binary: string, directory: string, users: string): Promise<TestNats> {
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

async function createContainer(users: string): Promise<TestNats> {
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

function sharedServer(url: string): TestNats {
  const refuse = async () => {
    throw new Error('TEST_INFRA=external: the tests may not stop a server that is not theirs');
  };
  const port = Number(new URL(url).port || 4222);
  return {
    url,
    port,
    // Whose server it is decides who may connect: as its URL says, without a user for each service.
    login: (service) => ({ url, service }),
    settings: () => ({ NATS_URL: url }),
    observer: { servers: url },
    kill: refuse,
    start: refuse,
    restart: refuse,
    close: async () => {},
  };
}
