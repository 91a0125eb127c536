import { serviceNames } from '@app/contracts/services';
import { adopt } from '@app/service-host/adopt';
import { readConfig } from './config.ts';
import { readConnections } from './connections.ts';

/*
 * `npm run adopt`, beside a running `npm start`: a DATA_DIR that was copied, moved or restored becomes the original. What it was copied from must
 * not run any more: both would charge and send.
 */
try {
  const { DATA_DIR } = readConfig();
  // Under the id of the process that runs: with another one of this shell it would be a copy from its next start on.
  for (const service of serviceNames) {
    const connections = readConnections(DATA_DIR, service);
    if (connections.INSTALLATION_ID === undefined)
      throw new Error('What runs is of an earlier version: start npm start anew, then adopt.');
    await adopt(service, connections);
  }
} catch (err) {
  process.stderr.write(`${(err as Error).message}\n`);
  process.exitCode = 1;
}
