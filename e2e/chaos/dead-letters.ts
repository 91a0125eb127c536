import { serviceNames } from '@app/contracts/services';
import { query } from '@app/testing/sql';
import { type Comparison, comparing } from './books.ts';
import type { World } from './world.ts';

/** No service gave an event up. */
export async function compareDeadLetters({ cluster }: World): Promise<Comparison> {
  const comparison = comparing('events that services gave up');
  for (const service of serviceNames) {
    const sql = 'select event_id, subject, error from dead_letters';
    const letters = await query(cluster.databaseUrl(service), sql);
    comparison.equal(`dead letters of ${service}`, letters, []);
  }
  return comparison;
}
