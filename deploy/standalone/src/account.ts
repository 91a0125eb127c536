import { runAccountCommand } from '@app/gateway/account-command';
import { readConfig } from './config.ts';
import { readConnections } from './connections.ts';
import { readCredentials } from './credentials.ts';

/** `npm run account -- recover EMAIL`: what `node src/main.ts account` of the gateway does, beside a running `npm start`. */
function readSettings() {
  const { DATA_DIR } = readConfig();
  const { DATABASE_URL } = readConnections(DATA_DIR, 'gateway');
  return { DATABASE_URL, PUBLIC_URL: readCredentials(DATA_DIR)?.baseUrl };
}

try {
  process.exitCode = await runAccountCommand(process.argv.slice(2), readSettings);
} catch (err) {
  process.stderr.write(`${(err as Error).message}\n`);
  process.exitCode = 1;
}
