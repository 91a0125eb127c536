import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { z } from 'zod';
import { dailyStartMinute, type StandaloneConfig, settingWarnings } from './config.ts';
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

/** Settings of the process that runs, for commands beside it: the environment of their shell may be another. */
const runningSettings = z.object({
  /** Where the gateway listens, as it is reached from this machine. */
  url: z.string(),
  HOST: z.string(),
  PUBLIC_URL: z.string().optional(),
  TRUST_PROXY: z.number(),
  SMTP_URL: z.string().optional(),
  EMAIL_DIR: z.string().optional(),
  /** When the process runs the daily job by itself, in minutes after midnight, UTC; left out where it does not. */
  dailyStartMinute: z.number().optional(),
  /** What it said at its start of settings that are ignored or dangerous. */
  warnings: z.array(z.string()),
});

export type RunningSettings = Readonly<z.output<typeof runningSettings>>;

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
  { installationId, running }: { readonly installationId: string; readonly running: RunningSettings },
): void {
  const of = (service: ServiceName): Connections => ({
    ...secretSettingsOf(service, secrets),
    INSTALLATION_ID: installationId,
    DATABASE_URL: infrastructure.databaseUrl(service),
    NATS_URL: infrastructure.natsUrl,
    ...infrastructure.natsUser(service),
  });
  const services = Object.fromEntries(serviceNames.map((service) => [service, of(service)]));
  writePrivate(fileIn(dataDir), { ...services, running });
}

/** What a process of these settings writes. @param url where its gateway listens */
export function runningSettingsOf(config: StandaloneConfig, url: string): RunningSettings {
  const { HOST, PUBLIC_URL, TRUST_PROXY, SMTP_URL, EMAIL_DIR } = config;
  const warnings = settingWarnings(config);
  return {
    url,
    HOST,
    PUBLIC_URL,
    TRUST_PROXY,
    SMTP_URL,
    EMAIL_DIR,
    dailyStartMinute: dailyStartMinute(config),
    warnings,
  };
}

/** Undefined when nothing runs on that directory, or something of an earlier version. @throws Error when the file is not as it was written */
export const readRunningSettings = (dataDir: string): RunningSettings | undefined =>
  readPrivate(fileIn(dataDir), z.object({ running: runningSettings.optional() }), help)?.running;

/** @throws Error when nothing runs on that directory, or the file is not as it was written */
export function readConnections(dataDir: string, service: ServiceName): Connections {
  const connections = readPrivate(fileIn(dataDir), z.object({ [service]: settings }), help);
  const own = connections?.[service];
  if (own === undefined) throw new Error(`${fileIn(dataDir)} is missing. ${help}`);
  return own;
}
