import { version } from '@app/contracts/version';
import { AdjustableClock } from './clock.ts';
import { addHealthServer, type HealthSettings } from './health-server.ts';
import { createLogger, type Logger } from './logger.ts';
import { ResourceStack } from './resource-stack.ts';
import type { RunningService, ServiceDeps } from './service.ts';
import { startProcessTelemetry, type TelemetrySettings } from './telemetry.ts';

/** The settings that running a service as a process takes; `commonSettings` has them. */
export interface ProcessSettings extends HealthSettings, TelemetrySettings {
  readonly LOG_LEVEL: string;
}

/** Kubernetes and compose wait ten seconds and more before they kill. */
const closeWithinMs = 9_500;

/**
 * Runs a service as a process: reads its settings, creates it, says when it is ready, and closes everything in reverse
 * order on SIGTERM or SIGINT; a second signal ends it at once. Settings that are not usable are all named.
 */
export async function runService<Config extends ProcessSettings>(
  name: string,
  readConfig: () => Config,
  create: (config: Config, deps: ServiceDeps) => Promise<RunningService>,
): Promise<void> {
  const config = readOrExit(name, readConfig);
  const logger = createLogger({ service: name, level: config.LOG_LEVEL });
  const resources = new ResourceStack(logger);
  const leave = leaveOnce(logger, resources);
  process.on('unhandledRejection', (err) => {
    logger.fatal({ err }, 'unhandled rejection');
    void leave(1);
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void leave(0));
  try {
    const telemetry = await startProcessTelemetry(config, { name, version, logger });
    resources.add('telemetry', telemetry, (started) => started.shutdown());
    const service = await create(config, { logger, clock: new AdjustableClock() });
    resources.add(name, service, (created) => created.close());
    await addHealthServer(config, service.checks, resources);
    logger.info('ready');
    process.stdout.write(`${name} ready\n`);
  } catch (err) {
    logger.fatal({ err }, 'could not start');
    process.stderr.write(`${name} could not start: ${messageOf(err)}\n`);
    await leave(1);
  }
}

function readOrExit<Config>(name: string, readConfig: () => Config): Config {
  try {
    return readConfig();
  } catch (err) {
    process.stderr.write(`${name} could not start: ${messageOf(err)}\n`);
    process.exit(1);
  }
}

function leaveOnce(logger: Logger, resources: ResourceStack): (code: number) => Promise<void> {
  let leaving = false;
  return async (code) => {
    if (leaving) process.exit(code || 1);
    leaving = true;
    await resources.close(closeWithinMs);
    logger.info('stopped');
    process.exit(code);
  };
}

const messageOf = (err: unknown): string => (err instanceof Error ? err.message : String(err));
