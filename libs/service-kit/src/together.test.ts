import { expect, test } from 'vitest';
import { createBatcher } from './batcher.ts';
import { together } from './together.ts';

interface Item {
  readonly name: string;
  readonly keys: readonly string[];
}

/** Statements that were run, as the names of their items; `refused` items fail, alone and with others. */
function recorded(refused: Record<string, Error> = {}) {
  const statements: string[][] = [];
  const batched = createBatcher<Item, string>({
    keysOf: ({ keys }) => keys,
    run: together(async (items) => {
      statements.push(items.map(({ name }) => name));
      for (const { name } of items) if (refused[name] !== undefined) throw refused[name];
      return items.map(({ name }) => `wrote ${name}`);
    }),
  });
  return { statements, batched };
}

const item = (name: string, ...keys: string[]): Item => ({ name, keys });
const pgError = (code: string): Error => Object.assign(new Error(code), { code });

test('items that wait together share a statement, and each has its own outcome', async () => {
  const { statements, batched } = recorded();
  const items = [item('a', '1'), item('b', '2'), item('c', '3')];
  expect(await Promise.all(items.map((each) => batched.add(each)))).toEqual(['wrote a', 'wrote b', 'wrote c']);
  expect(statements).toEqual([['a', 'b', 'c']]);
});

test('items with a common key are written one after the other, in their order, with whatever has no key of theirs', async () => {
  const { statements, batched } = recorded();
  const items = [item('a', '1'), item('b', '2', '1'), item('c', '3'), item('d', '2'), item('e', '1')];
  await Promise.all(items.map((each) => batched.add(each)));
  expect(statements).toEqual([['a', 'c'], ['b'], ['d', 'e']]);
});

test('where one item is refused, each is written alone', async () => {
  const refused = pgError('23514');
  const { statements, batched } = recorded({ b: refused });
  const items = [item('a', '1'), item('b', '2'), item('c', '3')];
  const [a, b, c] = await Promise.allSettled(items.map((each) => batched.add(each)));
  expect([a, c]).toEqual([
    { status: 'fulfilled', value: 'wrote a' },
    { status: 'fulfilled', value: 'wrote c' },
  ]);
  expect(b).toEqual({ status: 'rejected', reason: refused });
  expect(statements).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
});

test.each(['57P01', 'ECONNRESET'])('an outage (%s) is the error of all, and nothing is repeated', async (code) => {
  const outage = pgError(code);
  const { statements, batched } = recorded({ b: outage });
  const items = [item('a', '1'), item('b', '2')];
  const outcomes = await Promise.allSettled(items.map((each) => batched.add(each)));
  expect(outcomes).toEqual(items.map(() => ({ status: 'rejected', reason: outage })));
  expect(statements).toEqual([['a', 'b']]);
});
