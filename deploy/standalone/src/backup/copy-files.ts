import { cp, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Copies a file, or a folder with all in it, while services write there: what is removed meanwhile, as the oldest emails are, is left out.
 * @param isLeftOut by the name of each file and folder within
 */
export async function copyFiles(
  source: string,
  target: string,
  isLeftOut: (name: string) => boolean = () => false,
): Promise<void> {
  try {
    const found = await lstat(source);
    if (!found.isDirectory()) return await cp(source, target);
    await mkdir(target, { mode: found.mode });
    for (const name of await readdir(source))
      if (!isLeftOut(name)) await copyFiles(join(source, name), join(target, name), isLeftOut);
  } catch (err) {
    if (await isThere(source)) throw err;
  }
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (err: NodeJS.ErrnoException) => err.code !== 'ENOENT',
  );
