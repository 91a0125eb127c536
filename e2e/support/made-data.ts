import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@app/embedded/ports';
import { openLockSession } from '@app/service-kit/lock-session';
import { testInfra } from '@app/testing/provided';
import { startStandalone } from './standalone.ts';

let made: Promise<string> | undefined;

/**
 * Makes a directory with the data of an `npm start -- --empty` that has ended: for tests that are not about the first start,
 * which takes three times as long as every other.
 * @param dataDir is not there yet
 */
export async function copyMadeData(dataDir: string): Promise<void> {
  made ??= makeOnce();
  // Node's own copy does not keep the owner, and PostgreSQL starts on no files but its own.
  await promisify(execFile)('cp', ['-Rp', await made, dataDir]);
}

/** The first reader makes it, for all processes of this run. */
async function makeOnce(): Promise<string> {
  const { postgresUrl, directory } = testInfra();
  const data = join(directory ?? (await mkdtemp(join(tmpdir(), 'funnelry-made-'))), 'made-data');
  const lock = await openLockSession({ connectionString: postgresUrl, application_name: 'test-made-data' });
  try {
    await lock.client.query(`select pg_advisory_lock(hashtext('made data of npm start'))`);
    if (existsSync(data)) return data;
    const first = startStandalone(`${data}.new`, await freePort(), {}, ['--empty']);
    await first.until(/^ready /);
    const code = await first.end('SIGTERM');
    if (code !== 0) throw new Error(`the first start ended with ${code}:\n${first.output()}`);
    await rename(`${data}.new`, data);
    return data;
  } finally {
    await lock.close();
  }
}
