import { runEventsCommand } from '@app/messaging/events-command';
import { readConfig } from './config.ts';

/** `node src/events.ts`: dead letters and replays; without arguments it says how. */
if (import.meta.main) process.exitCode = await runEventsCommand('billing', readConfig);
