import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningNatsServer, startNatsServer } from '@app/embedded/nats-server';
import { freePort } from '@app/embedded/ports';
import { natsImage } from './infra.ts';
import { testInfra } from './provided.ts';

/** A nats-server with JetStream that can be killed and come back with the same port and data. */
export interface TestNats {
  url: string;
  port: number;
  /** SIGKILL, as in a crash. */
  kill(): Promise<void>;
  /** After `kill`: the same port and the same data. */
  start(): Promise<void>;
  /** An orderly stop and a start. */
  restart(): Promise<void>;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

/** A server for the calling test file alone: streams belong to a whole server, so files would meet on a shared one. */
export async function createTestNats(): Promise<TestNats> {
  const infra = testInfra();
  if (infra.kind === 'embedded') return await createServer(infra.natsServerBinary ?? '', infra.directory ?? tmpdir());
  if (infra.kind === 'testcontainers') return await createContainer();
  return sharedServer(infra.natsUrl ?? '');
}

async function createServer(binary: string, directory: string): Promise<TestNats> {
  const dataDir = await mkdtemp(join(directory, 'nats-'));
  let server: RunningNatsServer = await startNatsServer({ binary, dataDir });
  const { url, port } = server;
  const start = async () => {
    server = await startNatsServer({ binary, dataDir, port });
  };
  return {
    url,
    port,
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

async function createContainer(): Promise<TestNats> {
  const { GenericContainer, Wait } = await import('testcontainers');
  // A fixed port, because Docker gives a container another free one at each start.
  const port = await freePort();
  const container = await new GenericContainer(natsImage)
    .withCommand(['-js', '-sd', '/data'])
    .withExposedPorts({ container: 4222, host: port })
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  const { getContainerRuntimeClient } = await import('testcontainers');
  const handle = (await getContainerRuntimeClient()).container.getById(container.getId());
  return {
    url: `nats://${container.getHost()}:${port}`,
    port,
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
  return { url, port, kill: refuse, start: refuse, restart: refuse, close: async () => {} };
}
