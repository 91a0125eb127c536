import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Account, endOf, hasEnded, spawnServer, stopChild, stopWithinMs, untilItAnswers } from './child.ts';
import { freePort } from './ports.ts';
import { postgresAccount } from './postgres-account.ts';
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import { claimDataDir } from './postgres-lock.ts';
import { postgresSettings } from './postgres-settings.ts';
import type { RunningServer, ServerOptions } from './server.types.ts';
import { followOutput } from './server-output.ts';

/** The directory holds the cluster, the superuser's password and the server's log. */
export interface PostgresOptions extends ServerOptions {
  /** Default true. False trades safety against power cuts for speed: for tests only. */
  durable?: boolean;
  /** Default 100. */
  maxConnections?: number;
}

/** Its `url` is of the superuser and the database `postgres`. */
export type RunningPostgres = RunningServer;

interface Cluster {
  binaries: PostgresBinaries;
  /** The server's own directory, inside the data directory. */
  directory: string;
  passwordFile: string;
  account: Account | undefined;
}

/** A leftover backend may hold the shared memory for a moment after its postmaster was killed. */
const startAttemptsMs = 10_000;
/** Crash recovery replays about max_wal_size (1 GB) at most: seconds, but give a slow disk time. */
const readyWithinMs = 120_000;

/**
 * Starts PostgreSQL on the directory and waits until it answers; about a second for a new directory and a quarter of
 * one after that. Copes with whatever a kill -9 left behind.
 * @throws DataDirInUseError (`@app/embedded/postgres-lock`) while another process has it
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dataDir = resolve(options.dataDir);
  const log = options.log ?? (() => {});
  const directory = join(dataDir, 'cluster');
  const claim = await claimDataDir(dataDir, directory);
  try {
    const binaries = findPostgresBinaries();
    const account = postgresAccount([directory, binaries.postgres]);
    const cluster: Cluster = {
      binaries,
      directory,
      passwordFile: join(dataDir, 'superuser-password'),
      account,
    };
    if (account) chownSync(dataDir, account.uid, account.gid);
    await initialize(cluster, options.durable ?? true, log);
    const running = await startServer(cluster, options, log);
    const pid = running.child.pid ?? 0;
    claim.serverPid = pid;
    running.child.once('exit', claim.release);
    const { child, url, port } = running;
    return { url, port, pid, ended: endOf(child), stop: () => stop(child, cluster) };
  } catch (err) {
    claim.release();
    throw err;
  }
}

/** Stretching protects guessable passwords; this one and those of the services are random, and each connection would pay for it. */
const withoutStretching = ['--set', 'scram_iterations=1'];

/** Makes the cluster beside its folder and moves it there, so that a start that was cut off leaves nothing half done. */
async function initialize(cluster: Cluster, durable: boolean, log: (line: string) => void): Promise<void> {
  if (existsSync(cluster.directory)) return;
  const { account, passwordFile } = cluster;
  const unfinished = `${cluster.directory}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  for (const path of account ? [unfinished, passwordFile] : []) chownSync(path, account?.uid ?? 0, account?.gid ?? 0);
  const started = performance.now();
  // A client's half of SCRAM takes a third of the CPU time of its connection.
  const auth = durable ? 'scram-sha-256' : 'password';
  const args = ['-D', unfinished, '-U', 'postgres', '--pwfile', passwordFile, '--auth', auth];
  args.push(
    '--encoding',
    'UTF8',
    '--locale',
    'C',
    '--no-instructions',
    ...withoutStretching,
    ...(durable ? [] : ['--no-sync', '--no-data-checksums']),
  );
  const child = spawnServer({
    file: cluster.binaries.initdb,
    args,
    signalOnOurDeath: 'KILL',
    env: serverEnvironment(),
    ...(account ? { account } : {}),
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += String(chunk);
  });
  const code = await new Promise((resolveExit, reject) => child.once('error', reject).once('close', resolveExit));
  if (code !== 0) throw new Error(`initdb failed: ${errors.trim()}`);
  renameSync(unfinished, cluster.directory);
  log(`initdb took ${Math.round(performance.now() - started)} ms`);
}

function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Error(`${file}, the password of the databases beside it, cannot be read: put it back from your backup`, {
      cause,
    });
  }
}

async function startServer(
  cluster: Cluster,
  options: PostgresOptions,
  log: (line: string) => void,
): Promise<{ child: ChildProcess; url: string; port: number }> {
  const giveUpAt = Date.now() + startAttemptsMs;
  const password = readPassword(cluster.passwordFile);
  for (;;) {
    const port = options.port ?? (await freePort(options.avoidPort));
    const settings = postgresSettings({
      durable: options.durable ?? true,
      maxConnections: options.maxConnections ?? 100,
      port,
    });
    const started = performance.now();
    const child = spawnServer({
      file: cluster.binaries.postgres,
      args: ['-D', cluster.directory, ...settings],
      cwd: cluster.directory,
      signalOnOurDeath: 'INT',
      env: serverEnvironment(),
      ...(cluster.account ? { account: cluster.account } : {}),
    });
    const output = followOutput(child, options.serverLog);
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    if (await becomesReady(child, url)) {
      log(`PostgreSQL ready on port ${port} after ${Math.round(performance.now() - started)} ms`);
      return { child, url, port };
    }
    const reason = output.lines().join('\n').trim();
    const mayPass = /pre-existing shared memory/.test(reason) || (options.port === undefined && /in use/.test(reason));
    if (!mayPass || Date.now() > giveUpAt) throw new Error(`PostgreSQL did not start on port ${port}:\n${reason}`);
    await sleep(100);
  }
}

/** True once a connection succeeds; false when the server has ended by itself. */
const becomesReady = (child: ChildProcess, url: string): Promise<boolean> =>
  untilItAnswers(child, () => connects(url), { name: 'PostgreSQL', withinMs: readyWithinMs, last: 'SIGQUIT' });

async function connects(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function stop(child: ChildProcess, cluster: Cluster): Promise<void> {
  if (process.platform === 'win32' && !hasEnded(child)) {
    // Windows knows no signals; pg_ctl signals through the server's named pipe.
    const ended = new Promise((resolveExit) => child.once('exit', resolveExit));
    spawn(cluster.binaries.pgCtl, ['stop', '-D', cluster.directory, '-m', 'fast'], { stdio: 'ignore' });
    await ended;
    return;
  }
  // SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one (the next start replays the log).
  await stopChild(child, { first: 'SIGINT', last: 'SIGQUIT', afterMs: stopWithinMs });
}

/** PG* variables in the environment of our start are about other servers. */
function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC', ...(process.platform === 'win32' ? process.env : {}) };
}
