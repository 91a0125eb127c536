import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Account, findSetpriv } from './child.ts';

/**
 * PostgreSQL refuses to run as root. Under root we run it as `postgres` where the machine has that account, else as
 * `nobody`: neither needs the machine to be changed.
 */
export function postgresAccount(paths: string[]): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (user === undefined)
    throw new Error('PostgreSQL cannot run as root, and there is no account `postgres` or `nobody`');
  const account: Account = { uid: Number(user[2]), gid: Number(user[3]), capabilities: [] };
  const closed = paths.map((path) => closedParent(path, account)).find((path) => path !== undefined);
  if (closed !== undefined) account.capabilities = [wayThrough(closed, user[0] ?? '')];
  return account;
}

/** The outermost parent directory that the account may not pass, e.g. /root with mode 700. */
function closedParent(path: string, account: Account): string | undefined {
  const parents: string[] = [];
  for (let parent = dirname(path); parent !== dirname(parent); parent = dirname(parent)) parents.unshift(parent);
  return parents.find((parent) => {
    const stat = statSync(parent);
    const bit = stat.uid === account.uid ? 0o100 : stat.gid === account.gid ? 0o010 : 0o001;
    return (stat.mode & bit) === 0;
  });
}

/**
 * Root's clone or data often lies below a directory that is closed to others. Rather than open the directory, the
 * server keeps the one capability that passes it: reading where the machine grants that, else (default containers)
 * overriding file modes. That is still far less than the root that started us.
 */
function wayThrough(directory: string, user: string): string {
  const bounding = BigInt(
    `0x${/^CapBnd:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'}`,
  );
  if (findSetpriv() !== undefined) {
    if (bounding & (1n << 2n)) return 'dac_read_search';
    if (bounding & (1n << 1n)) return 'dac_override';
  }
  throw new Error(
    `PostgreSQL cannot run as root, and its account ${user} may not pass ${directory}: ` +
      `run \`chmod o+x ${directory}\`, choose another DATA_DIR, or start as an ordinary user`,
  );
}
