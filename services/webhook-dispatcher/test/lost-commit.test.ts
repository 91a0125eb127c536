import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createArrivals } from '@app/testing/arrivals';
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
  const lost = createArrivals<'commit' | 'record'>();
  let next: 'commit' | 'record' | undefined;
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
    const lose = (): void => {
      breakOff();
      lost.push(next as 'commit' | 'record');
      next = undefined;
    };
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
        if (next === 'record') return lose();
      }
      const commit = chunk.includes('COMMIT\0');
      if (next === 'commit' && commit && hasEvent) return lose();
      if (commit) hasEvent = false;
      near.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    loseNext: (response: 'commit' | 'record') => {
      next = response;
    },
    /** Resolves when the response is lost: what it answers is committed. */
    hasLost: (response: 'commit' | 'record') => lost.wait(1, { matches: (one) => one === response }),
    /** Statements that have recorded failed attempts, whether or not their response was lost. */
    records: () => records,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a delivery whose commit’s response is lost is sent within seconds, once, though its process lives', async () => {
  const seller = await connectedAccount(harness);
  proxy.loseNext('commit');
  const id = await seller.publish();
  await proxy.hasLost('commit');
  // The delivery is committed, and only the database knows it.
  expect(await seller.statuses()).toEqual(['sending']);
  await seller.delivered();
  expect(await seller.statuses()).toEqual(['delivered']);
  expect(seller.received()).toEqual([id]);
});

test('a failure whose record’s response is lost is recorded and counted once, though it is recorded again', async () => {
  const seller = await connectedAccount(harness);
  seller.receiver.respondWith(() => ({ status: 500 }));
  const before = proxy.records();
  proxy.loseNext('record');
  await seller.publish();
  await proxy.hasLost('record');
  await seller.tried(1);
  expect(proxy.records()).toBeGreaterThanOrEqual(before + 2);
  const [counted] = await harness.query<{ attempts: number; recorded: number }>(
    `select f.attempts, (select count(*)::int from attempts a where a.account_id = f.account_id) as recorded
     from failing_endpoints f where account_id = $1`,
    [seller.account],
  );
  expect(counted).toEqual({ attempts: counted?.recorded, recorded: expect.toSatisfy((n: number) => n >= 1) });
});
