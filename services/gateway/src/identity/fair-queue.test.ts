import { expect, test } from 'vitest';
import { createFairQueue, QueueFullError } from './fair-queue.ts';

const turn = () => new Promise(setImmediate);
const limits = { atOnce: 1, waitingMax: 6, shareMax: 3, rememberMs: 60_000 };

/** A queue whose work ends when it is let go, and the clients in the order in which their work was begun or refused. */
function workshop(over: Partial<typeof limits> = {}) {
  const time = { ms: 0 };
  const queue = createFairQueue({ ...limits, ...over }, () => time.ms);
  const doing: PromiseWithResolvers<void>[] = [];
  const [begun, refused]: [string[], string[]] = [[], []];
  const enter = (client: string): Promise<void> =>
    queue
      .run(client, async () => {
        const work = Promise.withResolvers<void>();
        doing.push(work);
        begun.push(client);
        await work.promise;
      })
      .catch((err: unknown) => {
        if (!(err instanceof QueueFullError)) throw err;
        refused.push(`${client} ${err.ownShare ? 'share' : 'full'}`);
      });
  const finish = async (): Promise<void> => {
    await turn();
    doing.shift()?.resolve();
    await turn();
  };
  return { time, begun, refused, enter, finish };
}

test('a client that comes anew goes before all that have had some already', async () => {
  const { begun, enter, finish } = workshop();
  void enter('a');
  await finish();
  const all = [enter('a'), enter('a'), enter('a'), enter('owner')];
  for (let n = 0; n < 4; n += 1) await finish();
  await Promise.all(all);
  expect(begun).toEqual(['a', 'a', 'owner', 'a', 'a']);
});

test('clients that wait for several take turns', async () => {
  const { begun, enter, finish } = workshop();
  const all = ['a', 'a', 'a', 'b', 'b', 'c'].map(enter);
  for (let n = 0; n < 6; n += 1) await finish();
  await Promise.all(all);
  expect(begun).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test('a client has its share of the queue and no more', async () => {
  const { refused, begun, enter, finish } = workshop();
  const all = ['a', 'a', 'a', 'a', 'a', 'b'].map(enter);
  await turn();
  expect(refused).toEqual(['a share']);
  for (let n = 0; n < 5; n += 1) await finish();
  await Promise.all(all);
  expect(begun).toEqual(['a', 'b', 'a', 'a', 'a']);
});

test('a full queue gives up the latest of who has the most, and refuses who would have as much', async () => {
  const { refused, begun, enter, finish } = workshop();
  const all = ['x', 'a', 'a', 'a', 'b', 'b', 'c'].map(enter);
  await turn();
  expect(refused).toEqual([]);
  all.push(enter('owner'));
  await turn();
  all.push(enter('b'));
  await turn();
  expect(refused).toEqual(['a full', 'b full']);
  for (let n = 0; n < 7; n += 1) await finish();
  await Promise.all(all);
  expect(begun).toEqual(['x', 'c', 'owner', 'a', 'b', 'a', 'b']);
});

test('what a client was refused counts as what it had', async () => {
  const { begun, refused, enter, finish } = workshop();
  // The owner had as much as the flood was given, and the flood was refused twice.
  void enter('owner');
  await finish();
  const all = ['flood', 'flood', 'flood', 'flood', 'flood', 'flood', 'owner'].map(enter);
  await turn();
  expect(refused).toEqual(['flood share', 'flood share']);
  for (let n = 0; n < 5; n += 1) await finish();
  await Promise.all(all);
  expect(begun).toEqual(['owner', 'flood', 'owner', 'flood', 'flood', 'flood']);
});

test('what a client had counts for as long as it is remembered', async () => {
  const { time, begun, enter, finish } = workshop();
  for (const client of ['a', 'hold']) void enter(client);
  await finish();
  time.ms = 120_000;
  const all = [enter('a'), enter('b')];
  for (let n = 0; n < 3; n += 1) await finish();
  await Promise.all(all);
  expect(begun).toEqual(['a', 'hold', 'a', 'b']);
});

test('work that fails frees its slot', async () => {
  const queue = createFairQueue(limits);
  const failed = queue.run('a', async () => {
    throw new Error('a fault');
  });
  await expect(failed).rejects.toThrow('a fault');
  expect(await queue.run('a', async () => 'begun')).toBe('begun');
});
