import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { find, read, root } from './support/repository.ts';

const source = 'services/gateway/src';
const files = find(`${source}/api/operations/**/*.ts`).filter((file) => basename(file) !== 'all-operations.ts');

/** What of one noun is in two files, because it makes, or begins, something that is a noun itself: a CSV, a picture, a funnel, a recovery. */
const inSeveral: Readonly<Record<string, readonly string[]>> = {
  affiliates: ['affiliates', 'exports'],
  orders: ['exports', 'orders'],
  products: ['funnels', 'images', 'products'],
  settings: ['images', 'settings'],
  subscriptions: ['exports', 'subscriptions'],
  'webhook-deliveries': ['deliveries', 'recoveries'],
  'webhook-endpoints': ['endpoints', 'recoveries'],
};

/** The paths of the operations in each list that the file exports. */
async function listsOf(file: string): Promise<string[][]> {
  const exported = Object.values((await import(join(root, file))) as object) as unknown[];
  return exported.filter((each) => Array.isArray(each)).map((list) => list.map(({ path }: { path: string }) => path));
}

/** The collection that a path leads to: `products/discounts` of `/api/v1/products/{productId}/discounts/{discountId}`. */
function nounOf(path: string): string {
  const parts = path.replace(/^\/api\/(v1\/|auth\/)?/, '').split('/');
  const last = parts.findLastIndex((part) => /^[a-z-]+s$/.test(part));
  const ofCollection = parts.slice(0, Math.max(last, 0) + 1);
  return ofCollection.filter((part) => !part.startsWith('{')).join('/');
}

test('the gateway is an edge of ten folders at most', () => {
  const folders = new Set(find(`${source}/*/**/*.*`).map((file) => file.slice(source.length + 1).split('/')[0]));
  expect(folders).toContain('edge');
  expect(folders.size, [...folders].join(', ')).toBeLessThanOrEqual(10);
});

test('the gateway has no style sheet and no script of a browser: those are of libs/pages', () => {
  expect(find(`${source}/**/*.{css,js,html}`)).toEqual([]);
});

test('a file of operations is the list of one noun, shorter than 300 lines', async () => {
  const lists = await Promise.all(files.map(async (file) => [basename(file), (await listsOf(file)).length]));
  expect(lists.length).toBeGreaterThan(20);
  expect(lists.filter(([, count]) => count !== 1)).toEqual([]);
  expect(files.filter((file) => read(file).split('\n').length > 300)).toEqual([]);
});

test('the operations on one noun are in one file, but for those named here', async () => {
  const filesOf = new Map<string, Set<string>>();
  for (const file of files)
    for (const path of (await listsOf(file)).flat()) {
      const of = filesOf.get(nounOf(path)) ?? new Set();
      filesOf.set(nounOf(path), of.add(basename(file, '.ts')));
    }
  const several = [...filesOf].filter(([, of]) => of.size > 1).map(([noun, of]) => [noun, [...of]]);
  expect(Object.fromEntries(several)).toEqual(inSeveral);
});
