import { openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { connectNats } from '../src/connect.ts';
import { onRequest, serveRequests } from '../src/serve-requests.ts';
import { addsOne, databaseOptions, getDouble } from './harness.ts';

/** A replica of catalog in a process of its own. With REPLIES=never it commits its commands, and replies to none. */
const { DATABASE_URL = '', NATS_URL = '', NATS_USER, NATS_PASSWORD, REPLIES } = process.env;
const link = await connectNats({ url: NATS_URL, user: NATS_USER, password: NATS_PASSWORD, service: 'catalog' });
const database = await openDatabase(databaseOptions(DATABASE_URL));
const beforeReply = () => (REPLIES === 'never' ? new Promise(() => undefined) : Promise.resolve());
const double = onRequest(getDouble, async ({ n }) => ({ doubled: n * 2 }));
const handlers = [double, addsOne(database, beforeReply)];
await serveRequests(link, { version: '0.1.0', description: 'test', handlers, logger: silentLogger() });
process.stdout.write('serving\n');
