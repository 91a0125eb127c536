import { once } from 'node:events';
import { openDatabase } from '../src/database.ts';

/** A process that is stopped in the middle of a transaction, and goes on where it was. */
const { DATABASE_URL: url = '' } = process.env;
const database = await openDatabase({ url, applicationName: 'frozen', entities: [], migrations: [], poolMax: 1 });
const say = (message: string) => new Promise((resolve) => process.send?.(message, resolve));

const write = (note: string, between: (client: Parameters<typeof once>[0]) => Promise<void>) =>
  database.transaction(async (client) => {
    await client.query('update book set note = $1 where id = $2', [note, 'frozen']);
    await between(client as unknown as Parameters<typeof once>[0]);
    await client.query('select 1');
  });

await write('before', async (client) => {
  await say('locked');
  process.kill(process.pid, 'SIGSTOP');
  // It runs no statement when it reads that its connection has ended.
  await once(client, 'end');
}).catch(() => say('rolled back'));
await write('after', async () => undefined);
await database.close();
await say('written');
process.disconnect?.();
