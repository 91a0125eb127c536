import { expect, test } from 'vitest';
import { createRunningRequests } from './running-requests.ts';

test('closing waits for requests under way; the caller of one that takes too long is refused, once', async () => {
  const running = createRunningRequests();
  const replies: string[] = [];
  const begin = (name: string) => running.begin(name, () => void replies.push(`${name} cut off`));
  const quick = begin('quick');
  const stuck = begin('stuck');
  const finished = running.finish(300);
  quick?.end(() => replies.push('quick answered'));
  await finished;
  stuck?.end(() => replies.push('stuck answered'));
  expect(replies).toEqual(['quick answered', 'stuck cut off']);
  await running.finish(60_000);
});

test('a request that comes again is begun again once the first one was replied to, and not before', () => {
  const running = createRunningRequests();
  const begin = () => running.begin('call', () => undefined);
  const first = begin();
  expect(begin()).toBeUndefined();
  first?.end(() => undefined);
  expect(begin()).toBeDefined();
});
