import { rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer, startNatsServer } from '@app/embedded/nats-server';
import { startPostgres } from '@app/embedded/postgres';
import { natsAccountsConfig } from './nats-accounts.ts';

/** What test files need to know; goes from the run's process to the test processes as it is. */
export interface TestInfra {
  kind: 'embedded' | 'testcontainers' | 'external';
  /** Superuser of a server that the tests may fill with databases. */
  postgresUrl: string;
  /** The nats-server to start for a test that stops its own (embedded). */
  natsServerBinary?: string;
  /** For files of the run; removed at its end (embedded). */
  directory?: string;
  /** The server that test files share: with an account for each (embedded, testcontainers), or as its owner set it up (external). */
  natsUrl: string;
}

export interface RunningInfra {
  infra: TestInfra;
  stop(): Promise<void>;
}

const postgresImage = 'postgres:18';
export const natsImage = 'nats:2-alpine';

const directoryPrefix = 'funnelry-test-';
/** Test files run beside each other, each with a pool or two per service. */
const maxConnections = 600;

/** Where Linux keeps files in memory. */
const memory = '/dev/shm';
/** A run has 1 GB of files at most; the machine has at least twice what is free here. */
const memoryWanted = 4 * 1024 ** 3;

/** Starts what TEST_INFRA names: `embedded` (default), `testcontainers` or `external`. */
export async function startInfra(env: NodeJS.ProcessEnv = process.env): Promise<RunningInfra> {
  const kind = env.TEST_INFRA ?? 'embedded';
  if (kind === 'embedded') return await startEmbedded(env);
  if (kind === 'testcontainers') return await startContainers();
  if (kind !== 'external') throw new Error(`TEST_INFRA is embedded, testcontainers or external, not ${kind}`);
  const [postgresUrl, natsUrl] = [env.TEST_POSTGRES_URL, env.TEST_NATS_URL];
  if (!postgresUrl || !natsUrl) throw new Error('TEST_INFRA=external needs TEST_POSTGRES_URL and TEST_NATS_URL');
  return { infra: { kind, postgresUrl, natsUrl }, stop: async () => {} };
}

async function startEmbedded(env: NodeJS.ProcessEnv): Promise<RunningInfra> {
  await removeLeftovers();
  const directory = await mkdtemp(join(await parentDirectory(), `${directoryPrefix}${process.pid}-`));
  // PostgreSQL runs as another account where the run is root.
  await chmod(directory, 0o755);
  // What test files make for themselves is in it too, and goes with it.
  const { TMPDIR } = process.env;
  process.env.TMPDIR = directory;
  const natsServerBinary = await findNatsServer({ env, install: true, log: () => {} });
  const postgres = await startPostgres({ dataDir: join(directory, 'postgres'), durable: false, maxConnections });
  const nats = await startSharedNats(natsServerBinary, join(directory, 'nats'));
  // A run that ends without its teardown (Ctrl-C) still cleans up; one that is killed leaves a directory to the next run.
  const onExit = () => {
    for (const { pid } of [postgres, nats]) process.kill(pid, 'SIGKILL');
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  process.once('exit', onExit);
  return {
    infra: { kind: 'embedded', postgresUrl: postgres.url, natsUrl: nats.url, natsServerBinary, directory },
    async stop() {
      process.off('exit', onExit);
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
      await Promise.all([postgres.stop(), nats.kill()]);
      // A browser ends just after the worker that started it, and writes its profile until then.
      await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

async function startSharedNats(binary: string, dataDir: string): ReturnType<typeof startNatsServer> {
  await mkdir(dataDir, { recursive: true });
  const configFile = join(dataDir, 'accounts.conf');
  await writeFile(configFile, natsAccountsConfig());
  return await startNatsServer({ binary, dataDir, configFile });
}

async function startContainers(): Promise<RunningInfra> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(postgresImage)
    .withEnvironment({ POSTGRES_PASSWORD: 'test' })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', `max_connections=${maxConnections}`])
    .withExposedPorts(5432)
    // Twice: the first server only runs the image's init scripts.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start();
  const nats = await new GenericContainer(natsImage)
    .withCopyContentToContainer([{ content: natsAccountsConfig(), target: '/accounts.conf' }])
    .withCommand(['-c', '/accounts.conf', '-js', '-sd', '/data'])
    .withExposedPorts(4222)
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  const natsUrl = `nats://${nats.getHost()}:${nats.getMappedPort(4222)}`;
  const address = `${container.getHost()}:${container.getMappedPort(5432)}`;
  return {
    infra: { kind: 'testcontainers', postgresUrl: `postgres://postgres:test@${address}/postgres`, natsUrl },
    async stop() {
      await Promise.all([container.stop(), nats.stop()]);
    },
  };
}

/**
 * In memory where there is plenty: databases are made and dropped by the hundred, and a file system on disk searches for an
 * inode that was not deleted a moment ago, which takes up to 250 ms of CPU for each database.
 */
async function parentDirectory(): Promise<string> {
  const stats = await statfs(memory).catch(() => undefined);
  return stats !== undefined && stats.bavail * stats.bsize >= memoryWanted ? memory : tmpdir();
}

/** Directories of runs whose process is gone. */
async function removeLeftovers(): Promise<void> {
  for (const parent of [tmpdir(), memory]) {
    for (const name of await readdir(parent).catch(() => [])) {
      const pid = Number(new RegExp(`^${directoryPrefix}(\\d+)-`).exec(name)?.[1]);
      if (!Number.isInteger(pid) || isRunning(pid)) continue;
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'EPERM';
  }
}
