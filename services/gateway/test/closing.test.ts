import { Agent } from 'node:http';
import { join } from 'node:path';
import { freePort } from '@app/embedded/ports';
import { spawnNode } from '@app/testing/child-service';
import { pollSystem } from '@app/testing/poll-system';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();

test('a gateway that is stopped answers the order under way, which takes four and a half seconds, lets no other in, and waits for no connection', async () => {
  const { key } = await createSeller(url);
  const { place } = harness.orders;
  harness.orders.place = async (input, context) => {
    await query(harness.database.url, 'select pg_sleep(4.5)');
    return await place(input, context);
  };
  const port = await freePort();
  const program = join(import.meta.dirname, '../src/main.ts');
  const env = { ...harness.env, PORT: String(port), LOG_LEVEL: 'warn' };
  const child = await spawnNode(program, env, { readyLine: /^gateway ready$/ });
  const at = `http://127.0.0.1:${port}`;
  const body = { productSlug: 'course', email: 'ada@example.com' };
  const agent = new Agent({ keepAlive: true });
  const answered = send(at, 'POST', '/api/v1/orders', { key, body, agent });
  await harness.untilPlaced(1);
  const stopped = child.kill('SIGTERM');
  await pollSystem('a port at which no process listens', () =>
    send(at, 'GET', '/healthz').then(
      () => false,
      (err: NodeJS.ErrnoException) => err.code === 'ECONNREFUSED',
    ),
  );
  const { status, json, headers } = await answered;
  expect([status, json]).toEqual([200, { ok: true, orderId: expect.stringMatching(/^ord_/), totalCents: 100 }]);
  expect(headers.connection).toBe('close');
  await stopped;
  agent.destroy();
  expect(await child.exited).toBe(0);
  // The connection that the client would keep was not waited for until the close was given up.
  expect(child.output()).not.toContain('did not close');
  expect(new Set(harness.placed.map(({ commandId }) => commandId)).size).toBe(1);
});
