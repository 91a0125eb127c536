import { eventually } from '@app/testing/eventually';
import { expect, test } from 'vitest';
import { createRunningRequests } from './running-requests.ts';

test('closing waits for requests under way; the caller of one that takes too long is told, once', async () => {
  const running = createRunningRequests();
  const told: string[] = [];
  const signs = (name: string) => ({ working: () => undefined, cutOff: () => void told.push(`${name} cut off`) });
  const quick = running.begin(signs('quick'));
  const stuck = running.begin(signs('stuck'));
  const finished = running.finish(300);
  quick.end(() => told.push('quick answered'));
  await finished;
  stuck.end(() => told.push('stuck answered'));
  expect(told).toEqual(['quick answered', 'stuck cut off']);
  await running.finish(60_000);
});

test('a request that takes long says again and again that it is worked on, until it is answered', async () => {
  const running = createRunningRequests();
  let signs = 0;
  const request = running.begin({
    working: () => {
      signs += 1;
    },
    cutOff: () => undefined,
  });
  await eventually(() => signs >= 2);
  request.end(() => undefined);
  const afterwards = signs;
  await running.finish(60_000);
  expect(signs).toBe(afterwards);
});
