import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import type { EventsSettings } from '@app/messaging/events-command';
import type { Infrastructure } from './infrastructure.ts';
import { writePrivate } from './private-file.ts';

const fileIn = (dataDir: string): string => join(dataDir, 'connections.json');

/** How each service reaches its database and NATS in this run, for commands beside it: embedded servers choose their ports. */
export function writeConnections(dataDir: string, infrastructure: Infrastructure): void {
  const of = (service: ServiceName): EventsSettings => ({
    DATABASE_URL: infrastructure.databaseUrl(service),
    NATS_URL: infrastructure.natsUrl,
    ...infrastructure.natsUser(service),
  });
  writePrivate(fileIn(dataDir), Object.fromEntries(serviceNames.map((service) => [service, of(service)])));
}

/** @throws Error when nothing was ever started in that directory */
export function readConnections(dataDir: string, service: ServiceName): EventsSettings {
  if (!existsSync(fileIn(dataDir))) throw new Error(`${fileIn(dataDir)} is missing: run npm start first`);
  const connections = JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as Record<ServiceName, EventsSettings>;
  return connections[service];
}
