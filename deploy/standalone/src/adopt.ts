import { serviceNames } from '@app/contracts/services';
import { adopt } from '@app/service-host/adopt';
import { readConfig } from './config.ts';
import { readConnections } from './connections.ts';
import { installationIdOf } from './installation-id.ts';

/*
 * `npm run adopt`, beside a running `npm start`: a DATA_DIR that was copied, moved or restored becomes the original. What it was copied from must
 * not run any more: both would charge and send.
 */
try {
  const { DATA_DIR, INSTALLATION_ID = installationIdOf(DATA_DIR) } = readConfig();
  for (const service of serviceNames) {
    const { DATABASE_URL } = readConnections(DATA_DIR, service);
    await adopt(service, { DATABASE_URL, INSTALLATION_ID });
  }
} catch (err) {
  process.stderr.write(`${(err as Error).message}\n`);
  process.exitCode = 1;
}
