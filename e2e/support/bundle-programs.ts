import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { serviceNames } from '@app/contracts/services';
import { build, type Plugin } from 'rolldown';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/.cache/test-programs');

/** What tests start again and again, and the service's announcements, which must share its modules. */
const programs = [
  ...serviceNames.map((name) => `services/${name}/src/main`),
  'deploy/standalone/src/main',
  'e2e/support/services-process',
  'libs/testing/src/forward-announcements',
];
const services = serviceNames.map((name) => `services/${name}/src/service`);

const url = (path: string): string => JSON.stringify(pathToFileURL(path).href);

/** Files beside a module are found from the source, and no module of a bundle is a command but the program itself. */
const atSource: Plugin = {
  name: 'at-source',
  transform: (code, id) =>
    code
      .replaceAll(/\bimport\.meta\.resolve\('([^']+)'\)/g, (_, specifier) => url(createRequire(id).resolve(specifier)))
      .replaceAll(/\bimport\.meta\.url\b/g, url(id))
      .replaceAll(/\bimport\.meta\.main\b/g, 'false'),
};

/**
 * Bundles the programs that tests start as processes: one reads 940 modules, which takes a second of CPU, and 0.3 s from a
 * bundle. Then loads every service in a process that ends by itself: only such a process leaves its compiled modules to
 * later ones, and tests kill theirs. `announcing` of the test library starts a program's bundle where TEST_PROGRAMS has one.
 */
export async function setup(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await build({
    input: Object.fromEntries([...programs, ...services].map((path) => [path, join(root, `${path}.ts`)])),
    platform: 'node',
    plugins: [atSource],
    output: { dir: folder, format: 'esm' },
    logLevel: 'warn',
  });
  const load = services.map((path) => `await import(${JSON.stringify(join(folder, `${path}.js`))});`);
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', load.join('')]);
  process.env.TEST_PROGRAMS = folder;
}
