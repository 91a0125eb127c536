import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startHarness } from './harness.ts';
import { connectedAccount } from './orders.ts';

guardLeaks();
let harness: Harness;
let proxy: Awaited<ReturnType<typeof startProxy>>;
beforeAll(async () => {
  harness = await startHarness();
  proxy = await startProxy(harness.env.DATABASE_URL);
  await harness.running.service.close();
  harness.env.DATABASE_URL = proxy.url;
  harness.running.service = await harness.start();
});
afterAll(async () => {
  await harness.close();
  await proxy.close();
});

/**
 * A proxy between the service and its database. It can close a connection instead of forwarding the response to a commit
 * that stores an event, or to the statement that records failed attempts. Commits of the service's background work pass.
 */
async function startProxy(databaseUrl: string) {
  const [url, target] = [new URL(databaseUrl), new URL(databaseUrl)];
  const sockets = new Set<Socket>();
  let toLose = 0;
  let recordsToLose = 0;
  let records = 0;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const both = [near, far];
    const breakOff = () => {
      for (const socket of both) socket.destroy();
    };
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', breakOff).on('close', () => {
        sockets.delete(socket);
        breakOff();
      });
    }
    let hasEvent = false;
    let isRecording = false;
    near.on('data', (chunk) => {
      hasEvent ||= chunk.includes('events-insert');
      isRecording ||= chunk.includes('attempts-record-failed');
      far.write(chunk);
    });
    far.on('data', (chunk) => {
      if (isRecording) {
        isRecording = false;
        records += 1;
        if (recordsToLose > 0) {
          recordsToLose -= 1;
          return breakOff();
        }
      }
      const commit = chunk.includes('COMMIT\0');
      if (toLose === 0 || !commit || !hasEvent) {
        if (commit) hasEvent = false;
        return void near.write(chunk);
      }
      toLose -= 1;
      breakOff();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    loseNextCommit: () => {
      toLose = 1;
    },
    loseNextRecord: () => {
      recordsToLose = 1;
    },
    /** Statements that have recorded failed attempts, whether or not their response was lost. */
    records: () => records,
    hasLost: () => toLose === 0 && recordsToLose === 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a delivery whose commit’s response is lost is sent within seconds, once, though its process lives', async () => {
  const seller = await connectedAccount(harness);
  proxy.loseNextCommit();
  const id = await seller.publish();
  await eventually(() => proxy.hasLost());
  // The delivery is committed, and only the database knows it.
  await eventually(async () => expect(await seller.statuses()).toEqual(['sending']));
  await eventually(async () => expect(await seller.statuses()).toEqual(['delivered']), { withinMs: 30_000 });
  expect(seller.received()).toEqual([id]);
});

test('a failure whose record’s response is lost is recorded and counted once, though it is recorded again', async () => {
  const seller = await connectedAccount(harness);
  seller.receiver.respondWith(() => ({ status: 500 }));
  const before = proxy.records();
  proxy.loseNextRecord();
  await seller.publish();
  await eventually(() => proxy.hasLost());
  await eventually(() => proxy.records() >= before + 2);
  const [counted] = await harness.query<{ attempts: number; recorded: number }>(
    `select f.attempts, (select count(*)::int from attempts a where a.account_id = f.account_id) as recorded
     from failing_endpoints f where account_id = $1`,
    [seller.account],
  );
  expect(counted).toEqual({ attempts: counted?.recorded, recorded: expect.toSatisfy((n: number) => n >= 1) });
});
