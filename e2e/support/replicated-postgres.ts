import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseUrl, ensureDatabases } from '@app/embedded/databases';
import { type RunningPostgres, startPostgres } from '@app/embedded/postgres';
import { backUpPostgres, restorePostgres } from '@app/embedded/postgres-backup';
import { pollSystem } from '@app/testing/poll-system';
import { query } from '@app/testing/sql';
import { startTcpProxy } from '@app/testing/tcp-proxy';
import { mayMount, mountDisk } from './own-disk.ts';
import type { OwnPostgres } from './own-postgres.ts';

/** Two servers on loopback behind one address, as a cluster of PostgreSQL has it: one takes writes, the other follows. */
export interface ReplicatedPostgres extends Pick<OwnPostgres, 'createDatabase'> {
  /** Starts the standby on a copy. From then on a commit is on both servers before it is answered. */
  replicate(): Promise<void>;
  /** A server on a backup that is made while the other one works: its databases are there already. Closed with this one. */
  restoreCopy(): Promise<Pick<OwnPostgres, 'createDatabase'>>;
  /** Leaves no byte on the disk of the server that takes writes, which has one of its own; a log file of it is begun. Requires `mayMount`. */
  fillDisk(): Promise<void>;
  /** Takes away what filled it. A server that has ended meanwhile is started again, as its supervisor does. Resolves once it takes writes. */
  emptyDisk(): Promise<void>;
  /** SIGKILL to the server that takes writes; the standby is promoted, and has the address. @returns how long nothing was written, in ms */
  failOver(): Promise<number>;
  close(): Promise<void>;
}

/** @param diskMegabytes of the first server's disk, where it has one of its own */
export async function startReplicatedPostgres(diskMegabytes: number): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'funnelry-replicated-'));
  const [first, copy, second] = ['first', 'copy', 'second'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const disk = mayMount ? mountDisk(first, diskMegabytes) : undefined;
  let primary = await startPostgres({ dataDir: first, maxConnections: 200 });
  let standby: RunningPostgres | undefined;
  let restored: RunningPostgres | undefined;
  const proxy = await startTcpProxy(primary.url);
  return {
    createDatabase: async (name, migrate) => {
      await ensureDatabases(primary.url, [{ database: name, user: name, password: name }]);
      const url = databaseUrl(proxy.url, name, name, name);
      await migrate(url);
      return url;
    },
    replicate: async () => {
      await backUpPostgres(primary.url, first, copy);
      const { port, password } = new URL(primary.url);
      const followed = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=standby`;
      await appendFile(join(copy, 'cluster/postgresql.auto.conf'), `primary_conninfo = '${followed}'\n`);
      await writeFile(join(copy, 'cluster/standby.signal'), '');
      await restorePostgres(copy, second);
      standby = await startPostgres({ dataDir: second, maxConnections: 200 });
      await pollSystem('the standby follows', async () => {
        const rows = await query<{ state: string }>(primary.url, 'select state from pg_stat_replication');
        return rows.some(({ state }) => state === 'streaming');
      });
      await query(primary.url, `alter system set synchronous_standby_names = 'standby'`);
      await query(primary.url, 'select pg_reload_conf()');
      await pollSystem('a commit waits for the standby', async () => {
        const rows = await query<{ state: string }>(primary.url, 'select sync_state as state from pg_stat_replication');
        return rows.some(({ state }) => state === 'sync');
      });
    },
    restoreCopy: async () => {
      const [backup, third] = [join(folder, 'backup'), join(folder, 'third')];
      await backUpPostgres(primary.url, first, backup);
      // No standby follows it.
      await appendFile(join(backup, 'cluster/postgresql.auto.conf'), `synchronous_standby_names = ''\n`);
      await restorePostgres(backup, third);
      const server = await startPostgres({ dataDir: third, maxConnections: 200 });
      restored = server;
      return { createDatabase: async (name) => databaseUrl(server.url, name, name, name) };
    },
    fillDisk: async () => {
      // A server without room for its log ends, and refuses nothing before: the next 16 MB of the log have their file.
      await query(primary.url, 'select pg_switch_wal()');
      await query(primary.url, `select pg_logical_emit_message(true, 'a file of its own', '')`);
      disk?.fill();
    },
    emptyDisk: async () => {
      disk?.empty();
      let hasEnded = false;
      void primary.ended.then(() => {
        hasEnded = true;
      });
      await pollSystem('the server takes writes again', async () => {
        if (hasEnded) {
          primary = await startPostgres({ dataDir: first, maxConnections: 200, port: primary.port });
          hasEnded = false;
        }
        return await query(primary.url, 'create temporary table written (n integer)').then(
          () => true,
          () => false,
        );
      });
    },
    failOver: async () => {
      if (standby === undefined) throw new Error('no standby follows');
      const startedMs = performance.now();
      process.kill(primary.pid, 'SIGKILL');
      proxy.fail('refuse');
      const [row] = await query<{ promoted: boolean }>(standby.url, 'select pg_promote(true, 60) as promoted');
      if (row?.promoted !== true) throw new Error('the standby was not promoted');
      proxy.lead(standby.url);
      proxy.restore();
      return performance.now() - startedMs;
    },
    close: async () => {
      await proxy.close();
      await standby?.stop();
      await restored?.stop();
      await primary.stop();
      await disk?.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
