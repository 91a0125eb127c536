/*
 * Runs a program under the flags of v8-flags.js: `node deploy/node.js <file> [arguments]`. V8 reads them before it runs any
 * code, so this process replaces itself by one that has them: its id, its parent and its streams stay as they are. Windows has
 * no such call; there it is the parent of that process.
 */
import './require-node.js';
import { v8Flags } from './v8-flags.js';

const [node, , ...program] = process.argv;
const args = [...process.execArgv, ...v8Flags, '--import', import.meta.resolve('./require-node.js'), ...program];

if (process.platform === 'win32') {
  const { spawnSync } = await import('node:child_process');
  process.exit(spawnSync(node, args, { stdio: 'inherit' }).status ?? 1);
}
process.execve(node, [node, ...args]);
