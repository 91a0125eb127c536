import { join } from 'node:path';
import { serviceNames } from '@app/contracts/services';
import { bundlePrograms, compilePrograms } from './bundle-programs.ts';
import { keepBundle } from './keep-bundle.ts';
import { bundlesFolder, currentBundle, program, stateOfSources } from './sources.ts';

/*
 * `npm ci` runs it. `npm start` takes the bundle while the sources are as they were, and the sources themselves after a change.
 */
const parts = [
  ...serviceNames.map((name) => `services/${name}/src/service`),
  'services/gateway/src/create-server',
  'deploy/standalone/src/standalone',
  'deploy/standalone/src/seller',
];
if (currentBundle() === undefined) {
  const state = stateOfSources();
  await keepBundle(state, (folder) => bundlePrograms([program, ...parts], folder));
  await compilePrograms(parts, join(bundlesFolder(), state));
}
