import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseUrl, ensureDatabases } from '@app/embedded/databases';
import { type RunningPostgres, startPostgres } from '@app/embedded/postgres';
import { pollSystem } from '@app/testing/poll-system';
import { query } from '@app/testing/sql';

/** A PostgreSQL of one test's own, which it may kill and change. */
export interface OwnPostgres {
  readonly dataDir: string;
  /** A new database, migrated. */
  createDatabase(name: string, migrate: (url: string) => Promise<unknown>): Promise<string>;
  /** Runs a statement as the superuser. */
  administer(statement: string): Promise<void>;
  /** SIGKILL to the postmaster, as in a crash. */
  kill(): Promise<void>;
  /** After `kill`: the same port and the same data. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'funnelry-postgres-'));
  let server: RunningPostgres = await startPostgres({ dataDir, maxConnections: 200 });
  const { port } = server;
  return {
    dataDir,
    createDatabase: async (name, migrate) => {
      await ensureDatabases(server.url, [{ database: name, user: name, password: name }]);
      const url = databaseUrl(server.url, name, name, name);
      await migrate(url);
      return url;
    },
    administer: async (statement) => void (await query(server.url, statement)),
    kill: async () => {
      process.kill(server.pid, 'SIGKILL');
      await pollSystem('PostgreSQL has ended', () => !runs(server.pid));
    },
    start: async () => {
      server = await startPostgres({ dataDir, maxConnections: 200, port });
    },
    close: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
