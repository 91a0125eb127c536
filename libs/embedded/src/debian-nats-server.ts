import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findExecutable } from './child.ts';

const run = promisify(execFile);

export interface FindNatsServerOptions {
  /** Read: NATS_SERVER_BIN, PATH, XDG_CACHE_HOME. */
  env: Record<string, string | undefined>;
  /** Whether Debian's package may be fetched into `cacheDir`; nothing is installed on the machine. */
  install?: boolean;
  /** Default: funnelry in the account's cache directory. */
  cacheDir?: string;
  log: (line: string) => void;
}

/** Debian's package, unpacked into the cache directory: `apt-get install` would start a service on port 4222. */
export async function debianNatsServer(options: FindNatsServerOptions): Promise<string | undefined> {
  const { env, log } = options;
  const cacheDir = options.cacheDir ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'funnelry');
  const unpacked = join(cacheDir, 'nats-server');
  const binary = join(unpacked, 'usr', 'sbin', 'nats-server');
  if (existsSync(binary)) return binary;
  const tools = ['apt-get', 'dpkg-deb'].map((tool) => findExecutable(tool, env.PATH, ['/usr/bin']));
  if (!options.install || tools.includes(undefined)) return undefined;
  log('nats-server is not installed: fetching the Debian package');
  mkdirSync(cacheDir, { recursive: true });
  const directory = mkdtempSync(join(cacheDir, 'fetch-'));
  try {
    await download(directory);
    const file = readdirSync(directory).find((name) => name.endsWith('.deb'));
    if (file === undefined) return undefined;
    await run('dpkg-deb', ['-x', join(directory, file), join(directory, 'unpacked')]);
    rmSync(unpacked, { recursive: true, force: true });
    renameSync(join(directory, 'unpacked'), unpacked);
    return existsSync(binary) ? binary : undefined;
  } catch (err) {
    log(`The Debian package could not be fetched: ${(err as Error).message.trim()}`);
    return undefined;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function download(directory: string): Promise<void> {
  // apt checks the package against its signed lists. Fresh containers have no lists yet; only root may fetch them.
  const fetch = () => run('apt-get', ['-q', 'download', 'nats-server'], { cwd: directory, timeout: 60_000 });
  try {
    await fetch();
  } catch (err) {
    if (process.getuid?.() !== 0) throw err;
    await run('apt-get', ['-q', 'update'], { timeout: 120_000 });
    await fetch();
  }
}
