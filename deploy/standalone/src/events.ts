import { serviceNames } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { runEventsCommand } from '@app/messaging/events-command';
import { readConfig } from './config.ts';
import { readConnections } from './connections.ts';

/** `npm run events -- metrics count`: what `node src/main.ts events` of that service does, beside a running `npm start`. */
const [name, ...args] = process.argv.slice(2);
const consumers = serviceNames.filter((service) => topology[service].consumes.length > 0);
const service = consumers.find((consumer) => consumer === name);
if (service === undefined) {
  process.stderr.write(`Name the consumer: npm run events -- <${consumers.join(' | ')}> <what>\n`);
  process.exitCode = 1;
} else {
  process.exitCode = await runEventsCommand(service, () => readConnections(readConfig().DATA_DIR, service), args);
}
