import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { endOf, findExecutable, spawnServer, stopChild, stopWithinMs, untilItAnswers } from './child.ts';
import { debianNatsServer, type FindNatsServerOptions } from './debian-nats-server.ts';
import { forgetServer, recordServer, stopLeftover } from './leftover.ts';
import { type DockerCommand, dockerCommand, dockerPrefix, removeContainer } from './nats-docker.ts';
import { freePort, portInUse } from './ports.ts';
import type { RunningServer, ServerOptions } from './server.types.ts';
import { followOutput } from './server-output.ts';

const run = promisify(execFile);

export class NatsServerMissingError extends Error {
  constructor() {
    const command = {
      darwin: 'brew install nats-server',
      win32: 'winget install NATSAuthors.NATSServer',
      linux: 'sudo apt-get install nats-server',
    }[process.platform as string];
    const otherwise = 'download it from https://nats.io/download and set NATS_SERVER_BIN to the file';
    super(`nats-server is missing. Install it: ${command ? `${command} (or ${otherwise})` : otherwise}`);
    this.name = 'NatsServerMissingError';
  }
}

const alsoIn = process.platform === 'win32' ? [] : ['/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/**
 * The nats-server to start: NATS_SERVER_BIN, PATH, Debian's package, Docker. The answer is for `startNatsServer` only:
 * it is a file, or names an image for Docker.
 * @throws NatsServerMissingError with the command that helps
 */
export async function findNatsServer(options: FindNatsServerOptions): Promise<string> {
  const { env, log } = options;
  const named = env.NATS_SERVER_BIN;
  if (named) {
    if (!existsSync(named)) throw new Error(`NATS_SERVER_BIN names ${named}, which does not exist`);
    return named;
  }
  const installed = findExecutable('nats-server', env.PATH, alsoIn);
  if (installed) return installed;
  return (await debianNatsServer(options)) ?? (await findDocker(env, log)) ?? missing();
}

function missing(): never {
  throw new NatsServerMissingError();
}

/** Only when an engine answers; a client without an engine is common. */
async function findDocker(
  env: Record<string, string | undefined>,
  log: (line: string) => void,
): Promise<string | undefined> {
  const docker = findExecutable('docker', env.PATH);
  if (docker === undefined) return undefined;
  try {
    await run(docker, ['version', '--format', '{{.Server.Version}}'], { timeout: 5_000 });
    log('nats-server is not installed: using Docker');
    return `${dockerPrefix}nats:2-alpine`;
  } catch {
    return undefined;
  }
}

export interface NatsServerOptions extends ServerOptions {
  /** What `findNatsServer` returned. */
  binary: string;
  /** A nats-server configuration to start from, e.g. users and permissions; it must not set `store_dir`. */
  configFile?: string;
  /** Called when no server runs on the directory any more, before one is started. */
  beforeStart?: () => void;
  /** Default 8 MiB. Ignored with a `configFile`: say `max_payload` there. */
  maxPayloadBytes?: number;
}

/** One whose JetStream has given up on a full disk is ended. */
export interface RunningNatsServer extends RunningServer {
  /** SIGKILL, for crash tests. */
  kill(): Promise<void>;
}

/** Long: a process that ended is detected at once, and a busy machine is no fault of the server. */
const readyWithinMs = 60_000;
const startAttempts = 3;

/**
 * Starts nats-server with JetStream on 127.0.0.1; about 50 ms. Works with 2.9 and newer. One that a killed process left
 * on the directory is stopped first.
 */
export async function startNatsServer(options: NatsServerOptions): Promise<RunningNatsServer> {
  const log = options.log ?? (() => {});
  mkdirSync(options.dataDir, { recursive: true });
  const pidFile = join(options.dataDir, 'server.json');
  await stopLeftover(pidFile, options.dataDir, 'nats-server');
  options.beforeStart?.();
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort(options.avoidPort));
    // Else the greeting of a foreign server would pass for ours.
    if (options.port !== undefined && (await portInUse(port)))
      throw new Error(`Port ${port} for nats-server is in use`);
    const started = performance.now();
    const docker = dockerServer(options, port);
    const child = spawnServer({
      ...(docker ?? { file: options.binary, args: serverArguments(options, port), env: environment() }),
      signalOnOurDeath: 'TERM',
    });
    const server = running(child, port, docker?.container);
    const output = followOutput(child, options.serverLog, server.read);
    if (child.pid !== undefined) recordServer(pidFile, child.pid, docker?.container);
    child.once('exit', () => forgetServer(pidFile, child.pid ?? 0));
    if (await becomesReady(child, port)) {
      log(`nats-server ready on port ${port} after ${Math.round(performance.now() - started)} ms`);
      return server;
    }
    const lines = output.lines();
    const portTaken = lines.some((line) => line.includes('address already in use'));
    if (options.port === undefined && portTaken && attempt < startAttempts) continue;
    throw new Error(`nats-server did not start on port ${port}:\n${lines.join('\n')}`);
  }
}

/**
 * One processor is enough for four times what one process of Node sends it. With more, a sixth of its CPU time goes into waking
 * threads, which Node and PostgreSQL lack on a machine of two.
 */
const environment = (): NodeJS.ProcessEnv => ({ GOMAXPROCS: '1', ...process.env });

/** The configuration file's own address and port lose against these; a second store directory is an error. */
function serverArguments(options: NatsServerOptions, port: number): string[] {
  const configFile = options.configFile ?? writeDefaultConfig(options);
  return [
    '--config',
    configFile,
    '--addr',
    '127.0.0.1',
    '--port',
    String(port),
    '--jetstream',
    '--store_dir',
    options.dataDir,
  ];
}

/** The payload limit is the one setting without a command line option. */
function writeDefaultConfig(options: NatsServerOptions): string {
  const file = join(options.dataDir, 'nats-server.conf');
  writeFileSync(file, `max_payload: ${options.maxPayloadBytes ?? 8 * 1024 * 1024}\n`);
  return file;
}

function dockerServer(options: NatsServerOptions, port: number): DockerCommand | undefined {
  if (!options.binary.startsWith(dockerPrefix)) return undefined;
  const configFile = options.configFile ?? writeDefaultConfig(options);
  const image = options.binary.slice(dockerPrefix.length);
  return dockerCommand(image, { port, configFile: resolve(configFile), dataDir: resolve(options.dataDir) });
}

/** What 2.9 says when a write found no room: from then on it takes no events until it is started anew. */
const jetStreamGone = /JetStream out of .*resources|JetStream.*DISABLED/i;

function running(
  child: ChildProcess,
  port: number,
  container: string | undefined,
): RunningNatsServer & { read(line: string): void } {
  let reason: string | undefined;
  const stop = () => stopChild(child, { first: 'SIGTERM', last: 'SIGKILL', afterMs: stopWithinMs });
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    ended: endOf(child).then((end) => reason ?? end),
    read(line) {
      if (!jetStreamGone.test(line)) return;
      reason ??= 'it found no room on the disk';
      void stop();
    },
    stop,
    async kill() {
      if (container !== undefined) removeContainer(container);
      await stopChild(child, { first: 'SIGKILL', last: 'SIGKILL', afterMs: stopWithinMs });
    },
  };
}

/** True once the server greets with its INFO line (it listens only after its streams are read); false when it has ended by itself. */
const becomesReady = (child: ChildProcess, port: number): Promise<boolean> =>
  untilItAnswers(child, () => greets(port), { name: 'nats-server', withinMs: readyWithinMs, last: 'SIGKILL' });

async function greets(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 5_000 });
    const answer = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.once('data', (data) => answer(data.toString('latin1').startsWith('INFO ')));
    socket.once('timeout', () => answer(false));
    socket.once('error', () => answer(false));
    socket.once('close', () => answer(false));
  });
}
