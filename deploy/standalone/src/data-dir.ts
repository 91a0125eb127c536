import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes the directory with what is missing above it and returns its absolute path. Node's own recursive mkdir never
 * returns where a parent exists and takes no entries (/proc).
 * @throws Error naming the directory and what is wrong with it
 */
export function makeDataDir(setting: string): string {
  const dataDir = resolve(setting);
  try {
    make(dataDir);
    if (!statSync(dataDir).isDirectory()) throw new Error('it is not a directory');
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (err) {
    throw new Error(`DATA_DIR ${dataDir} cannot be used: ${(err as Error).message}. Choose another one.`);
  }
  return dataDir;
}

function make(directory: string): void {
  if (existsSync(directory)) return;
  make(dirname(directory));
  mkdirSync(directory);
}
