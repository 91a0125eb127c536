import type { ServiceName } from '@app/contracts/services';
import { type EventsSettings, runEventsCommand } from '@app/messaging/events-command';
import { type ProcessSettings, runService } from '@app/service-kit/run-service';
import type { RunningService, ServiceDeps } from '@app/service-kit/service';
import { type Rotation, rotateSecrets } from './rotate-secrets.ts';

/**
 * What a service's `main.ts` does: without arguments it runs the service, with `events …` the command of its dead letters
 * and of events that it missed, which says how when nothing follows, and with `rotate-secrets` it seals anew what it has stored.
 */
export async function runMain<Config extends ProcessSettings & EventsSettings>(
  name: ServiceName,
  readConfig: () => Config,
  create: (config: Config, deps: ServiceDeps) => Promise<RunningService>,
  rotation?: (config: Config) => Rotation,
): Promise<void> {
  const [command, ...args] = process.argv.slice(2);
  if (command === 'events') process.exitCode = await runEventsCommand(name, readConfig, args);
  else if (command === 'rotate-secrets' && rotation !== undefined) {
    const config = readConfig();
    process.exitCode = await rotateSecrets(name, config.DATABASE_URL, rotation(config));
  } else await runService(name, readConfig, create);
}
