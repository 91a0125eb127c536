import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serviceNames } from '@app/contracts/services';

/**
 * Loads every service once in a process that ends by itself: only such a process leaves its compiled modules to later
 * ones, and tests kill theirs.
 */
export async function setup(): Promise<void> {
  const services = join(import.meta.dirname, '../../services');
  const load = serviceNames.map((name) => `await import(${JSON.stringify(join(services, name, 'src/service.ts'))});`);
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', load.join('')]);
}
