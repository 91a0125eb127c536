import { expect, test } from 'vitest';
import { createRunningRequests } from './running-requests.ts';

test('closing waits for requests under way; the caller of one that takes too long is refused, once', async () => {
  const running = createRunningRequests();
  const replies: string[] = [];
  const signs = (name: string) => ({ working: () => undefined, cutOff: () => void replies.push(`${name} cut off`) });
  const quick = running.begin(signs('quick'));
  const stuck = running.begin(signs('stuck'));
  const finished = running.finish(300);
  quick.end(() => replies.push('quick answered'));
  await finished;
  stuck.end(() => replies.push('stuck answered'));
  expect(replies).toEqual(['quick answered', 'stuck cut off']);
  await running.finish(60_000);
});

test('a request that takes long says again and again that it is worked on, until it is answered', async () => {
  const running = createRunningRequests(5);
  const second = Promise.withResolvers<void>();
  let signs = 0;
  const working = (): void => {
    signs += 1;
    if (signs === 2) second.resolve();
  };
  const request = running.begin({ working, cutOff: () => undefined });
  await second.promise;
  request.end(() => undefined);
  const afterwards = signs;
  await running.finish(60_000);
  expect(signs).toBe(afterwards);
});
