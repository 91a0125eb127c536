import { expect, test } from 'vitest';
import { ImageCache } from './image-cache.ts';

function cacheOf(maxBytes: number) {
  const lookedUp: string[] = [];
  const cache = new ImageCache(async (name) => {
    lookedUp.push(name);
    return name === 'none' ? null : Buffer.alloc(10);
  }, maxBytes);
  return { cache, lookedUp };
}

test('a picture is looked up once, however many request it at the same time', async () => {
  const { cache, lookedUp } = cacheOf(100);
  const found = await Promise.all([cache.find('a'), cache.find('a'), cache.find('a')]);
  expect(found.map((image) => image?.length)).toEqual([10, 10, 10]);
  await cache.find('a');
  expect(lookedUp).toEqual(['a']);
});

test('it never holds more than its bound: the least recently requested one gives way', async () => {
  const { cache, lookedUp } = cacheOf(20);
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.find(name);
  expect(lookedUp).toEqual(['a', 'b', 'c', 'b']);
});

test('what is not there, and what could not be looked up, is looked up again', async () => {
  const { cache, lookedUp } = cacheOf(20);
  expect([await cache.find('none'), await cache.find('none')]).toEqual([null, null]);
  expect(lookedUp).toEqual(['none', 'none']);
  let fails = true;
  const failing = new ImageCache(async () => {
    if (fails) throw new Error('out');
    return Buffer.alloc(1);
  });
  await expect(failing.find('a')).rejects.toThrow('out');
  fails = false;
  expect(await failing.find('a')).toHaveLength(1);
});

test('after a picture was deleted, none is shown that was looked up before', async () => {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  let lookUps = 0;
  const cache = new ImageCache(() => (lookUps++ === 0 ? promise : Promise.resolve(null)));
  const before = cache.find('a');
  cache.clear();
  resolve(Buffer.alloc(1));
  expect(await before).toHaveLength(1);
  expect(await cache.find('a')).toBeNull();
  cache.clear();
  expect(await cache.find('a')).toBeNull();
});
