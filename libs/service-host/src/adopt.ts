import type { ServiceName } from '@app/contracts/services';
import { openDatabase } from '@app/service-kit/database';
import { adoptInstallation } from '@app/service-kit/installation';

/**
 * What `node src/main.ts adopt` of a service does, beside the running service: its database belongs to this installation from now on, and
 * what waited goes out within seconds. The one that it was copied from must not run any more.
 */
export async function adopt(
  service: ServiceName,
  { DATABASE_URL: url, INSTALLATION_ID: id }: { DATABASE_URL: string; INSTALLATION_ID?: string | undefined },
  print: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): Promise<void> {
  const database = await openDatabase({
    url,
    applicationName: `${service}-adopt`,
    poolMax: 1,
    entities: [],
    migrations: [],
  });
  try {
    await adoptInstallation(database, id);
    print(`${service}: this is the original now`);
  } finally {
    await database.close();
  }
}
