import { openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { connectNats } from '../src/connect.ts';
import { startConsumers } from '../src/consume.ts';
import { onEvent } from '../src/event-handler.ts';
import { counted, databaseOptions, insertEffects } from './harness.ts';

/** A consumer whose process dies, as by kill -9, whenever it handles the event with the number 13. */
const { DATABASE_URL = '', NATS_URL = '', NATS_USER, NATS_PASSWORD } = process.env;
const link = await connectNats({ url: NATS_URL, user: NATS_USER, password: NATS_PASSWORD, service: 'metrics' });
const database = await openDatabase(databaseOptions(DATABASE_URL));
const dieAt13 = onEvent(counted, async (events, client) => {
  if (events.some((event) => event.data.n === 13)) process.kill(process.pid, 'SIGKILL');
  await insertEffects(events, client);
});
startConsumers({ nats: link, database, logger: silentLogger(), handlers: [dieAt13] });
