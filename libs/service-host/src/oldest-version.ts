import type { ServiceName } from '@app/contracts/services';
import { openDatabase } from '@app/service-kit/database';
import { oldestVersionOn } from '@app/service-kit/migrations';

/**
 * What `node src/main.ts oldest-version` of a service does, for an operator who wants to go back.
 * @returns the oldest version that works on what has been made of its database, as `0.2.0`
 */
export async function readOldestVersion(
  service: ServiceName,
  { DATABASE_URL: url }: { readonly DATABASE_URL: string },
): Promise<string> {
  const applicationName = `${service}-oldest-version`;
  const database = await openDatabase({ url, applicationName, poolMax: 1, entities: [], migrations: [] });
  return await oldestVersionOn(database.pool).finally(() => database.close());
}
