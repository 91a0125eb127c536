import type { ServiceName } from '@app/contracts/services';
import { type EventsSettings, runEventsCommand } from '@app/messaging/events-command';
import { type ProcessSettings, runService } from '@app/service-kit/run-service';
import type { RunningService, ServiceDeps } from '@app/service-kit/service';
import { adopt } from './adopt.ts';
import { readOldestVersion } from './oldest-version.ts';
import { type Rotation, rotateSecrets } from './rotate-secrets.ts';

/**
 * What a service's `main.ts` does: without arguments it runs the service, with `events …` the command of its dead letters
 * and of events that it missed, which says how when nothing follows, with `rotate-secrets` it seals anew what it has stored,
 * with `adopt` it makes a copy the original, and with `oldest-version` it says which versions work on its database.
 */
export async function runMain<
  Config extends ProcessSettings & EventsSettings & { readonly INSTALLATION_ID?: string | undefined },
>(
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
  } else if (command === 'adopt') await adopt(name, readConfig());
  else if (command === 'oldest-version') process.stdout.write(`${await readOldestVersion(name, readConfig())}\n`);
  else await runService(name, readConfig, create);
}
