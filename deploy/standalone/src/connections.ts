import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { z } from 'zod';
import type { Infrastructure } from './infrastructure.ts';
import { readPrivate, writePrivate } from './private-file.ts';
import { type Secrets, secretSettingsOf } from './secrets.ts';

const fileIn = (dataDir: string): string => join(dataDir, 'connections.json');

const settings = z.object({
  DATABASE_URL: z.string(),
  NATS_URL: z.string(),
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  KEY_PEPPER: z.string().optional(),
  KEY_PEPPER_PREVIOUS: z.string().optional(),
  SECRETS_KEY: z.string().optional(),
  SECRETS_KEY_PREVIOUS: z.string().optional(),
  /** What the process that runs is given, and not what a command beside it would be; one of an earlier version does not say. */
  INSTALLATION_ID: z.string().optional(),
});

type Connections = z.output<typeof settings>;

const help = 'npm start writes it when it is ready and removes it when it stops: run that first.';

/**
 * Ports of another run: a program that has them now must not be sent the passwords. Called before the servers start and
 * before they end.
 */
export const removeConnections = (dataDir: string): void => rmSync(fileIn(dataDir), { force: true });

/**
 * How each service reaches its database and NATS in this run, and under which secrets it stores, for commands beside it:
 * embedded servers choose their ports, and secrets that were made meanwhile count from the next start.
 */
export function writeConnections(
  dataDir: string,
  infrastructure: Infrastructure,
  secrets: Secrets,
  installationId: string,
): void {
  const of = (service: ServiceName): Connections => ({
    ...secretSettingsOf(service, secrets),
    INSTALLATION_ID: installationId,
    DATABASE_URL: infrastructure.databaseUrl(service),
    NATS_URL: infrastructure.natsUrl,
    ...infrastructure.natsUser(service),
  });
  writePrivate(fileIn(dataDir), Object.fromEntries(serviceNames.map((service) => [service, of(service)])));
}

/** @throws Error when nothing runs on that directory, or the file is not as it was written */
export function readConnections(dataDir: string, service: ServiceName): Connections {
  const connections = readPrivate(fileIn(dataDir), z.object({ [service]: settings }), help);
  const own = connections?.[service];
  if (own === undefined) throw new Error(`${fileIn(dataDir)} is missing. ${help}`);
  return own;
}
