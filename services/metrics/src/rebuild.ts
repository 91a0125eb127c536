import { parseArgs } from 'node:util';
import { openDatabase } from '@app/service-kit/database';
import { readConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { rebuildRollups } from './rollups/rebuild-rollups.ts';

/** `node services/metrics/src/rebuild.ts [--account acc_…]` computes the numbers from the facts again. */
if (import.meta.main) {
  const { values } = parseArgs({ options: { account: { type: 'string' } } });
  // A portion on a slow disk, or the wait for another rebuild, may take longer than a request's statement.
  const limits = { statementMs: 0, silenceMs: 0 };
  const database = await openDatabase({ ...databaseOptions(readConfig().DATABASE_URL), poolMax: 1, limits });
  try {
    await rebuildRollups(database, values.account ?? null, (accountId, counted) => {
      process.stdout.write(`metrics: ${accountId}, ${counted} facts\n`);
    });
  } finally {
    await database.close();
  }
  process.stdout.write(`metrics: rebuilt ${values.account ?? 'all accounts'}\n`);
}
