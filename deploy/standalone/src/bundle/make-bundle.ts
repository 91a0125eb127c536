import { serviceNames } from '@app/contracts/services';
import { bundleFolder, noteBundle, program, stateOfSources } from './sources.ts';

/*
 * `npm ci` runs it. `npm start` takes the bundle while the sources are as they were, and the sources themselves after a change.
 */
const parts = [
  ...serviceNames.map((name) => `services/${name}/src/service`),
  'services/gateway/src/create-server',
  'deploy/standalone/src/standalone',
  'deploy/standalone/src/seller',
];
try {
  const state = stateOfSources();
  const { bundlePrograms } = await import('./bundle-programs.ts');
  await bundlePrograms([program, ...parts], { folder: bundleFolder, loaded: parts });
  noteBundle(state);
} catch (err) {
  // The bundler has no binary for this system, say: nothing is missing but some of a start's speed.
  process.stderr.write(`npm start will run from the sources, half a second slower: ${String(err)}\n`);
}
