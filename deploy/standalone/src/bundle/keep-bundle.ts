import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bundlesFolder } from './sources.ts';

/**
 * Makes a folder whole under its name at once, and removes the bundles before the last: a running platform reads parts of its
 * own bundle later on. A call that was cut off leaves nothing under the name of a state.
 * @param make gets the path of a folder that is not there
 */
export async function keepBundle(
  state: string,
  make: (folder: string) => Promise<void>,
  folder = bundlesFolder(),
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const pathOf = (name: string): string => join(folder, name);
  for (const name of readdirSync(folder)) if (name.includes('.')) rmSync(pathOf(name), { recursive: true });
  const made = pathOf(`${state}.new`);
  await make(made);
  const earlier = readdirSync(folder).filter((name) => !name.includes('.'));
  earlier.sort((a, b) => statSync(pathOf(b)).mtimeMs - statSync(pathOf(a)).mtimeMs);
  renameSync(made, pathOf(state));
  for (const name of earlier.slice(1)) remove(pathOf(name));
}

/** A removal that is cut off leaves no bundle with a part missing. */
function remove(folder: string): void {
  const going = `${folder}.old`;
  renameSync(folder, going);
  rmSync(going, { recursive: true });
}
