import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@app/contracts/services';
import { bundlePrograms, compilePrograms } from './bundle-programs.ts';
import { keepBundle } from './keep-bundle.ts';
import { bundlesFolder, program, stateOfSources } from './sources.ts';

/*
 * `npm ci` runs it. `npm start` takes the bundle while the sources are as they were, and the sources themselves after a change.
 */
const parts = [
  ...serviceNames.map((name) => `services/${name}/src/service`),
  'services/gateway/src/create-server',
  'deploy/standalone/src/standalone',
  'deploy/standalone/src/seller',
];
const state = stateOfSources();
const bundle = join(bundlesFolder(), state);
if (!existsSync(bundle)) {
  await keepBundle(state, (folder) => bundlePrograms([program, ...parts], folder));
  await compilePrograms(parts, bundle);
}
