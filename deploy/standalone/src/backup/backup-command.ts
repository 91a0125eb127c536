import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { backUp } from './back-up.ts';
import { folderBeside } from './backups.ts';
import { restore, verify } from './restore.ts';

const usage = `  npm run backup [-- --to FOLDER] [--keep 7]     backs up a running npm start
  npm run restore -- BACKUP                       makes DATA_DIR of a backup
  npm run restore -- BACKUP --verify              restores it into an empty place, reads all of it and removes the place
`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function run([command, ...args]: string[]): Promise<void> {
  const options = { to: { type: 'string' }, keep: { type: 'string' }, verify: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const dataDir = resolve(readConfig().DATA_DIR);
  const [from, ...rest] = positionals;
  if (command === 'backup' && from === undefined && values.verify === undefined) {
    const keep = Number(values.keep ?? 7);
    if (!Number.isInteger(keep) || keep < 1)
      throw new Error('--keep is how many backups stay: a whole number from 1 on.');
    await backUp({ dataDir, folder: resolve(values.to ?? folderBeside(dataDir)), keep, print });
    return;
  }
  const isRestore = command === 'restore' && from !== undefined && rest.length === 0;
  if (!isRestore || values.to !== undefined || values.keep !== undefined) throw new Error(`Wrong arguments.\n${usage}`);
  if (values.verify === true) await verify({ from: resolve(from), print });
  else await restore({ from: resolve(from), print }, dataDir);
}

try {
  await run(process.argv.slice(2));
} catch (err) {
  process.stderr.write(`${(err as Error).message}\n`);
  process.exitCode = 1;
}
