import { afterEach, beforeEach, expect, test, vi } from 'vitest';

interface Api {
  openOrRestore(): Promise<{ checkout: unknown; gone: boolean }>;
}

const opened = { id: 'cko_1', secret: 's', status: 'open' };
const refusal = { code: 'validation_failed', errors: [{ field: 'utm_source', message: 'is wrong' }] };
let sent: Record<string, string>[];
let answers: { ok: boolean; status: number; json: () => Promise<unknown> }[];
let cookie: string;

const answer = (status: number, body: unknown) => ({ ok: status < 300, status, json: async () => body });

async function openAt(search: string): Promise<void> {
  vi.stubGlobal('location', { search, protocol: 'https:', hash: '', pathname: '/c/ada/course' });
  const name = './checkout-api.js';
  const { openOrRestore } = (await import(name)) as Api;
  await openOrRestore();
}

beforeEach(() => {
  vi.resetModules();
  [sent, answers, cookie] = [[], [], ''];
  const dataset = { handle: 'ada', slug: 'course', digits: '{}' };
  const document = {
    getElementById: () => ({ dataset }),
    get cookie() {
      return cookie;
    },
    set cookie(text: string) {
      [cookie = ''] = text.split(';');
    },
  };
  vi.stubGlobal('document', document);
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body));
    return answers.shift() ?? answer(201, opened);
  });
});
afterEach(() => void vi.unstubAllGlobals());

test('where a buyer comes from is cleaned before it is sent or remembered: no control characters, no half emoji', async () => {
  await openAt(`?ref=%00ada%0A&utm_source=${'a'.repeat(199)}%F0%9F%98%80&utm_term=%00`);
  expect(sent).toEqual([{ handle: 'ada', slug: 'course', affiliateCode: 'ada', utm_source: 'a'.repeat(199) }]);
  expect(cookie).toBe('ref=ada');
  await openAt('?ref=%00');
  expect(sent.at(-1)).toEqual({ handle: 'ada', slug: 'course', affiliateCode: 'ada' });
});

test('a cookie that is no text counts as none', async () => {
  cookie = 'ref=%E0%A4%A';
  await openAt('');
  expect(sent).toEqual([{ handle: 'ada', slug: 'course' }]);
});

test('a source that the server refuses loses no sale: the checkout is opened without it', async () => {
  answers = [answer(422, refusal)];
  await openAt('?utm_source=x&ref=y');
  expect(sent).toEqual([
    { handle: 'ada', slug: 'course', affiliateCode: 'y', utm_source: 'x' },
    { handle: 'ada', slug: 'course' },
  ]);
});
