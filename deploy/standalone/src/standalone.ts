import { join } from 'node:path';
import { version } from '@app/contracts/version';
import { fullDisk } from '@app/embedded/free-space';
import { portInUse } from '@app/embedded/ports';
import { startDailySchedule } from '@app/runs/daily-schedule';
import { AdjustableClock } from '@app/service-kit/clock';
import { addHealthServer } from '@app/service-kit/health-server';
import { createLogger } from '@app/service-kit/logger';
import { ResourceStack } from '@app/service-kit/resource-stack';
import { startProcessTelemetry } from '@app/service-kit/telemetry';
import { dailyStartMinute, type StandaloneConfig, settingWarnings } from './config.ts';
import { removeConnections, runningSettingsOf, writeConnections } from './connections.ts';
import { credentialsFile, writeCredentials } from './credentials.ts';
import { makeDataDir } from './data-dir.ts';
import { observeDisk, watchDisk } from './disk-watch.ts';
import { type Infrastructure, startInfrastructure } from './infrastructure.ts';
import { installationIdOf } from './installation-id.ts';
import { lockDataDir } from './lock.ts';
import { followParent } from './parent.ts';
import { loadSecrets, noteSellerMade, type Renewal } from './secrets.ts';
import { loadServices, startServices } from './services.ts';
import { untilReady } from './until-ready.ts';

/** Together within the ten seconds that a stopping supervisor waits; the servers have theirs whatever the services took. */
const servicesCloseWithinMs = 6_000;
const serversCloseWithinMs = 3_500;

export interface StartOptions extends Renewal {
  /** Without the demo shop; only a first start has one. */
  readonly empty: boolean;
}

interface Lifetimes {
  readonly services: ResourceStack;
  readonly servers: ResourceStack;
}

/** Runs the whole platform in this process: servers, all services, the first seller. Says what it does on the way. */
export async function runStandalone(readConfig: () => StandaloneConfig, options: StartOptions): Promise<void> {
  const startedMs = performance.now();
  // The reader of our output may be gone, or its disk full: that stops nothing.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let leaving = false;
  const say = (line: string): void => {
    // What a start that is being closed still comes to is no news.
    if (leaving) return;
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1).padStart(5);
    process.stdout.write(`${seconds}s  ${line}\n`);
  };
  let lifetimes: Lifetimes | undefined;
  const leave = async (code: number): Promise<void> => {
    if (leaving) process.exit(code || 1);
    leaving = true;
    await lifetimes?.services.close(servicesCloseWithinMs);
    await lifetimes?.servers.close(serversCloseWithinMs);
    process.exit(code);
  };
  const stop = (why: string): void => {
    say(`${why}: stopping`);
    void leave(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
  followParent(() => {
    if (!leaving) stop('npm has ended');
  });
  try {
    const config = { ...readConfig() };
    await refuseUsedPort(config);
    config.DATA_DIR = makeDataDir(config.DATA_DIR);
    const full = fullDisk(config.DATA_DIR);
    if (full !== undefined) throw new Error(`Nothing can be started: ${full}.`);
    const logger = createLogger({ level: config.LOG_LEVEL, destination: join(config.DATA_DIR, 'app.log'), warn: say });
    process.on('unhandledRejection', (err) => {
      logger.fatal({ err }, 'unhandled rejection');
      process.stderr.write(`unhandled rejection: ${String(err)}\n`);
      void leave(1);
    });
    lifetimes = { services: new ResourceStack(logger), servers: new ResourceStack(logger) };
    const baseUrl = await start(config, options, logger, lifetimes, say);
    if (!leaving) process.stdout.write(`ready ${baseUrl}\n`);
  } catch (err) {
    // What was being started failed because it is being closed, which goes on and ends the process.
    if (leaving) return;
    process.stderr.write(`${err instanceof Error ? err.message : String(err)}\n`);
    await leave(1);
  }
}

/** Checked before anything is made: a start that cannot succeed leaves nothing behind. */
async function refuseUsedPort({ PORT, HOST }: StandaloneConfig): Promise<void> {
  if (PORT !== 0 && (await portInUse(PORT, HOST))) {
    throw new Error(`Port ${PORT} on ${HOST} is in use. Stop the process that uses it, or set another PORT.`);
  }
}

async function start(
  config: StandaloneConfig,
  options: StartOptions,
  logger: ReturnType<typeof createLogger>,
  { services, servers }: Lifetimes,
  say: (line: string) => void,
): Promise<string> {
  servers.add('data directory', lockDataDir(config.DATA_DIR), (lock) => lock.release());
  removeConnections(config.DATA_DIR);
  const clock = new AdjustableClock();
  const announce = (line: string): void => {
    say(line);
    logger.warn(line);
  };
  for (const warning of settingWarnings(config)) announce(warning);
  let infrastructure: Infrastructure | undefined;
  const watch = watchDisk({
    directory: config.DATA_DIR,
    say: announce,
    afterNone: () => void infrastructure?.renewNats(),
  });
  const disk = services.add('disk watch', watch, (started) => started.close());
  const secrets = await loadSecrets(config, options);
  const installationId = installationIdOf(config);
  const telemetry = await startProcessTelemetry(config, { name: 'standalone', version, logger });
  services.add('telemetry', telemetry, (started) => started.shutdown());
  services.add('disk gauge', observeDisk(config.DATA_DIR), (observed) => observed.close());
  const opening = startInfrastructure({ config, secrets, resources: servers, logger, say, announce });
  const modules = loadServices(opening);
  infrastructure = await opening;
  servers.add('connections', config.DATA_DIR, removeConnections);
  const renew = options.newCredentials || options.newSecrets;
  const seller = { dataDir: config.DATA_DIR, secrets, clock, say, empty: options.empty, renew };
  const { url, prepared, checks } = await startServices(
    modules,
    {
      config,
      installationId,
      secrets,
      infrastructure,
      clock,
      logger,
      resources: services,
      say,
      writeRefusal: disk.refusal,
    },
    // Not before: with it comes the gateway's code.
    async (gateway, others) => {
      const { prepareSeller } = await import('./seller.ts');
      return await prepareSeller({ ...seller, gateway, others });
    },
  );
  const running = runningSettingsOf(config, url);
  writeConnections(config.DATA_DIR, infrastructure, secrets, { installationId, running });
  await untilReady(checks, say);
  const copied = () => checks.find(({ name }) => name === 'installation')?.warning?.();
  const copyNotice = copied();
  if (copyNotice !== undefined) announce(copyNotice);
  await addHealthServer(config, checks, services);
  const credentials = { ...prepared.credentials, baseUrl: config.PUBLIC_URL ?? url };
  writeCredentials(config.DATA_DIR, credentials);
  noteSellerMade(config.DATA_DIR, secrets);
  sayWhere(config, credentials.email, say);
  const startMinute = dailyStartMinute(config);
  if (startMinute !== undefined) {
    const { platformKey: key } = credentials;
    const isCopy = () => copied() !== undefined;
    const schedule = startDailySchedule({ gatewayUrl: url, key, startMinute, isCopy, say: announce });
    services.add('daily job', schedule, (started) => started.close());
  }
  say(`open the dashboard, once and within ten minutes: ${credentials.baseUrl}${prepared.path}`);
  return credentials.baseUrl;
}

/** Where the seller finds what they need first. */
function sayWhere(config: StandaloneConfig, email: string, say: (line: string) => void): void {
  const { DATA_DIR, EMAIL_DIR = join(DATA_DIR, 'emails'), SMTP_URL } = config;
  say(`${email}: password and API key are in ${credentialsFile(DATA_DIR)}`);
  if (SMTP_URL === undefined) say(`emails are files in ${EMAIL_DIR}: SMTP_URL sends them`);
}
