import { serviceNames } from '@app/contracts/services';
import { readOldestVersion } from '@app/service-host/oldest-version';
import { dataDirOf } from './config.ts';
import { readConnections } from './connections.ts';

/*
 * `npm run oldest-version`, beside a running `npm start`: prints, for each database, the oldest version that works on it.
 */
try {
  for (const service of serviceNames)
    process.stdout.write(`${await readOldestVersion(service, readConnections(dataDirOf(), service))}\n`);
} catch (err) {
  process.stderr.write(`${(err as Error).message}\n`);
  process.exitCode = 1;
}
