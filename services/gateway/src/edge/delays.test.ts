import fastify from 'fastify';
import { expect, test } from 'vitest';
import { Delays } from './delays.ts';

test('a server that closes ends what waits, and of more waits than may be at once the further ones end at once', async () => {
  const server = fastify();
  const delays = new Delays(server, 2);
  const anHour = 3_600_000;
  const ended: number[] = [];
  const waits = [0, 1, 2].map((n) => delays.wait(anHour).then(() => ended.push(n)));
  await waits[2];
  expect(ended).toEqual([2]);
  await server.close();
  await Promise.all(waits);
  expect(ended).toEqual([2, 0, 1]);
});
