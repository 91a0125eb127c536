import { join } from 'node:path';
import { serviceNames } from '@app/contracts/services';
import { bundlePrograms, compilePrograms } from '@app/standalone/bundle-programs';

const folder = join(import.meta.dirname, '../../node_modules/.cache/test-programs');

/** What tests start again and again, and the service's announcements, which must share its modules. */
const programs = [
  ...serviceNames.map((name) => `services/${name}/src/main`),
  'deploy/standalone/src/main',
  'e2e/support/services-process',
  'libs/testing/src/forward-announcements',
];
const services = serviceNames.map((name) => `services/${name}/src/service`);

/** Bundles them as `npm ci` bundles the platform. `announcing` of the test library starts a program's bundle where TEST_PROGRAMS has one. */
export async function setup(): Promise<void> {
  await bundlePrograms([...programs, ...services], folder);
  await compilePrograms(services, folder);
  process.env.TEST_PROGRAMS = folder;
}
