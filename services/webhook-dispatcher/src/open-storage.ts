import type { ServiceContext } from '@app/service-host/define-service';
import type { Clock } from '@app/service-kit/clock';
import { connectAtStartMs } from '@app/service-kit/connection-settings';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { WebhookDispatcherConfig } from './config.ts';
import { startConservation } from './repair/conservation.ts';
import { startRetention } from './retention/retention.ts';
import { Partitions } from './storage/partitions.ts';

export interface Storage {
  readonly database: Database;
  readonly partitions: Partitions;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Makes partitions ahead, and begins to drop what is expired and to prove that nothing is lost. */
export async function openStorage({
  config,
  database,
  clock,
  installation,
  logger,
  resources,
}: ServiceContext<WebhookDispatcherConfig>): Promise<Storage> {
  const partitions = new Partitions(database, clock);
  await partitions.makeAhead({ connectionTimeoutMillis: connectAtStartMs });
  const storage = { database, partitions, clock, logger };
  resources.add('webhook retention', startRetention(storage, installation.isCopy), (started) => started.close());
  const proving = startConservation({ ...storage, intervalSeconds: config.CONSERVATION_SECONDS });
  resources.add('conservation', proving, (started) => started.close());
  return storage;
}
