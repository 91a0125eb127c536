import { startHealthServer } from './health-server.ts';
import { Lifetime } from './lifetime.ts';
import type { Logger } from './logger.ts';
import type { RunningService } from './service.ts';

export interface RunOptions {
  readonly name: string;
  /** 0 for none. */
  readonly healthPort: number;
  readonly healthHost: string;
  readonly logger: Logger;
  readonly create: () => Promise<RunningService>;
}

/** Kubernetes and compose wait this long and more before they kill. */
const closeWithinMs = 10_000;

/** Runs a service as a process: says when it is ready, and closes everything in reverse order on SIGTERM or SIGINT. */
export async function runService(options: RunOptions): Promise<void> {
  const { logger, name } = options;
  process.on('unhandledRejection', (err) => {
    logger.fatal({ err }, 'unhandled rejection');
    process.exitCode = 1;
    void leave(1);
  });
  const lifetime = new Lifetime(logger);
  let leaving = false;
  async function leave(code: number): Promise<void> {
    if (leaving) process.exit(code || 1);
    leaving = true;
    await lifetime.close(closeWithinMs - 500);
    logger.info('stopped');
    process.exit(code);
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void leave(0));
  try {
    const service = lifetime.add(name, await options.create(), (created) => created.close());
    if (options.healthPort > 0) {
      const health = await startHealthServer({
        port: options.healthPort,
        host: options.healthHost,
        checks: service.checks,
      });
      lifetime.add('health', health, (server) => server.close());
    }
    logger.info('ready');
    process.stdout.write(`${name} ready\n`);
  } catch (err) {
    logger.fatal({ err }, 'could not start');
    process.stderr.write(`${name} could not start: ${err instanceof Error ? err.message : String(err)}\n`);
    await leave(1);
  }
}
