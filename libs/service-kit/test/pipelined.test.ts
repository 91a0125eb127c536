import { guardLeaks } from '@app/testing/leak-guard';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Client, type Database, openDatabase, statement } from '../src/database.ts';
import { pipelined, streamOf } from '../src/pipelined.ts';

guardLeaks();

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await createTestDatabase();
  await query(server.url, 'create table line (n int primary key)');
  // One connection: what a failed transaction leaves behind is what the next one finds.
  const options = { url: server.url, applicationName: 'pipelined', entities: [], migrations: [], poolMax: 1 };
  database = await openDatabase(options);
});
afterAll(async () => {
  await database?.close();
  await server?.close();
});
beforeEach(async () => {
  await query(server.url, 'delete from line');
});

const insert = statement('line-insert', 'insert into line values ($1)');
const count = statement<{ lines: number }>('line-count', 'select count(*)::int4 as lines from line', { lines: 'int4' });
const lines = async () => (await query<{ n: number }>(server.url, 'select n from line order by n')).map(({ n }) => n);

/** How often the connection writes to its socket during the work. */
async function writesOf(client: Client, work: () => Promise<unknown>): Promise<number> {
  const stream = streamOf(client) as unknown as Record<'_write' | '_writev', (...args: unknown[]) => unknown>;
  let writes = 0;
  for (const name of ['_write', '_writev'] as const) {
    const inner = stream[name].bind(stream);
    stream[name] = (...args) => {
      writes += 1;
      return inner(...args);
    };
  }
  await work();
  for (const name of ['_write', '_writev'] as const) delete (stream as Partial<typeof stream>)[name];
  return writes;
}

test('statements go out in one write and run in their order, each on what the one before wrote', async () => {
  const results = await database.transaction(async (client) => {
    let counted: number[] = [];
    const writes = await writesOf(client, async () => {
      const sent = await pipelined(client, [count(), insert([1]), count(), insert([2]), count()]);
      counted = [sent[0], sent[2], sent[4]].flatMap(({ rows }) => rows.map((row) => row.lines));
    });
    return { counted, writes };
  });
  expect(results).toEqual({ counted: [0, 1, 2], writes: 1 });
});

test('the last statements of a transaction go out with COMMIT in one write', async () => {
  const ending = Promise.withResolvers<void>();
  let writes = 0;
  const counted = Promise.withResolvers<void>();
  await database.transaction(
    async (client) => {
      await client.query(insert([1]));
      void writesOf(client, () => ending.promise).then((found) => {
        writes = found;
        counted.resolve();
      });
    },
    () => [insert([2]), insert([3])],
  );
  ending.resolve();
  await counted.promise;
  expect({ writes, lines: await lines() }).toEqual({ writes: 1, lines: [1, 2, 3] });
});

test('of statements of which one fails its error is thrown, nothing of the transaction is kept, and the connection goes on', async () => {
  const again = statement<{ n: number }>('line-again', 'select n from line where n = $1', { n: 'int4' });
  const failing = database.transaction(
    async (client) => await client.query(insert([1])),
    // The last one is new to the connection: PostgreSQL refuses to parse it, and `pg` must not take it for parsed.
    () => [insert([2]), insert([1]), insert([3]), again([1])],
  );
  await expect(failing).rejects.toMatchObject({ code: '23505' });
  expect(await lines()).toEqual([]);
  await database.transaction(
    async (client) => await pipelined(client, [insert([4]), again([4])]),
    () => [insert([5])],
  );
  expect(await lines()).toEqual([4, 5]);
});

const unwritable = {
  toPostgres: () => {
    throw new Error('has no form');
  },
};

test('a statement whose values `pg` cannot write keeps COMMIT from being sent', async () => {
  const failing = database.transaction(
    async (client) => await client.query(insert([1])),
    () => [insert([2]), insert([unwritable]), insert([3])],
  );
  await expect(failing).rejects.toThrow('has no form');
  expect(await lines()).toEqual([]);
});

test('a connection on which a statement could not be written is not used again', async () => {
  const failing = database.transaction(async (client) => await pipelined(client, [insert([1]), insert([unwritable])]));
  await expect(failing).rejects.toThrow('has no form');
  await database.transaction(async (client) => await client.query(insert([2])));
  expect(await lines()).toEqual([2]);
});

test('statements that take long together, and none of them too long, are no silence of the server', async () => {
  const limits = { statementMs: 3_000, silenceMs: 400 };
  const options = { url: server.url, applicationName: 'slow', entities: [], migrations: [], poolMax: 1, limits };
  await using stack = new AsyncDisposableStack();
  const slow = stack.adopt(await openDatabase(options), (opened) => opened.close());
  const sleep = statement('line-sleep', 'select pg_sleep(1.2)');
  await slow.transaction(
    async (client) => await pipelined(client, [sleep(), sleep(), sleep()]),
    () => [insert([1]), sleep(), sleep(), sleep()],
  );
  expect(await lines()).toEqual([1]);
});

test('a transaction whose work has hidden a failed statement is not taken for committed', async () => {
  const hidden = database.transaction(async (client) => {
    await client.query(insert([1]));
    await client.query(insert([1])).catch(() => undefined);
  });
  await expect(hidden).rejects.toThrow('the transaction was rolled back');
  expect(await lines()).toEqual([]);
});

test('a connection that ends in the middle of statements fails those that were not answered, and the pool goes on', async () => {
  const end = statement<{ ended: boolean }>('line-end', 'select pg_terminate_backend(pg_backend_pid()) as ended', {
    ended: 'bool',
  });
  const ended = database.transaction(async (client) => await pipelined(client, [insert([1]), end(), insert([2])]));
  await expect(ended).rejects.toMatchObject({ code: '57P01' });
  expect(await lines()).toEqual([]);
  expect((await database.pool.query(count())).rows).toEqual([{ lines: 0 }]);
});
