import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { orderPaid } from '@app/contracts/orders';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startHarness } from './harness.ts';
import { anOrder, connectedAccount } from './orders.ts';

guardLeaks();
let harness: Harness;
let network: Awaited<ReturnType<typeof startNetwork>>;
beforeAll(async () => {
  harness = await startHarness();
  network = await startNetwork(harness.env.DATABASE_URL);
  await harness.running.service.close();
  harness.env.DATABASE_URL = network.url;
  harness.running.service = await harness.start();
});
afterAll(async () => {
  await harness.close();
  await network.close();
});

/**
 * Between the service and its database; can break a connection when the word of a commit with an event is on its way
 * back. The service's background work commits too: that is let through.
 */
async function startNetwork(databaseUrl: string) {
  const [url, target] = [new URL(databaseUrl), new URL(databaseUrl)];
  const sockets = new Set<Socket>();
  let toLose = 0;
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
    near.on('data', (chunk) => {
      hasEvent ||= chunk.includes('events-insert');
      far.write(chunk);
    });
    far.on('data', (chunk) => {
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
    hasLost: () => toLose === 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a delivery whose commit’s answer is lost goes out within seconds, once, though its process lives', async () => {
  const seller = await connectedAccount(harness);
  network.loseNextCommit();
  const id = await harness.publish(orderPaid, seller.account, anOrder(harness.clock.nowMs()));
  await eventually(() => network.hasLost());
  // Committed: and nobody but the database knows.
  await eventually(async () => expect(await seller.statuses()).toEqual(['sending']));
  await eventually(async () => expect(await seller.statuses()).toEqual(['delivered']), { withinMs: 10_000 });
  expect(seller.received()).toEqual([id]);
  await seller.receiver.close();
});
