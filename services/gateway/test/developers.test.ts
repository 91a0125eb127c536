import { decideUpsellBody, openCheckoutBody, payCheckoutBody, updateCheckoutBody } from '@app/contracts/checkouts';
import { errorCodes, publicCode } from '@app/contracts/errors';
import { developerPaths } from '@app/pages/developers/developer-pages';
import { placeholderUrl } from '@app/pages/developers/placeholder-url';
import { catchUp, openCheckout, payCheckout } from '@app/pages/developers/samples';
import { html } from '@app/pages/html';
import { withCode } from '@app/pages/text';
import { startReceiver } from '@app/testing/http-receiver';
import { expect, test } from 'vitest';
import { operations } from '../src/api/operations/all-operations.ts';
import { genericTools } from '../src/mcp/generic-tools.ts';
import { namedTools } from '../src/mcp/tools.ts';
import { send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();

const tags = new Set([...operations.map(({ tag }) => tag), 'MCP']);
const pages = developerPaths(tags);
const idsIn = (page: string) => [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
const textsOf = async (paths: readonly string[]): Promise<Map<string, string>> => {
  const texts = new Map<string, string>();
  for (const path of paths) texts.set(path, (await send(url, 'GET', path)).text);
  return texts;
};

test('the description is served without a key, to any page, with this deployment’s address', async () => {
  const { status, headers, json } = await send(url, 'GET', '/developers/openapi.json');
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(headers['cache-control']).toBe('public, max-age=300');
  expect(json.servers).toEqual([{ url }]);
  expect(json.info.version).toBe('1.0.0');
});

test('PUBLIC_URL is the address that answers name, for any client', async () => {
  const PUBLIC_URL = 'https://shop.example.com';
  const { url: inside } = await harness.start({ PUBLIC_URL });
  const { json } = await send(inside, 'GET', '/developers/openapi.json');
  expect(json.servers).toEqual([{ url: PUBLIC_URL }]);
  const { text } = await send(inside, 'GET', '/developers');
  expect(text).toContain(`export BASE=${PUBLIC_URL}\n`);
  expect(text).not.toContain(inside);
});

test.each(pages)(
  '%s loads our script and style alone, requests no other host, and says so to the browser',
  async (path) => {
    const { status, headers, text } = await send(url, 'GET', path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(text).not.toMatch(/<script>|style="|<style|\son\w+="/);
    expect(text).toContain('Funnelry');
    for (const [, address] of text.matchAll(/(?:href|src)="([^"]+)"/g))
      expect(address).toMatch(/^(\/developers|\/assets\/|\/llms\.txt$|#)/);
    expect(text).not.toContain('base-url.invalid');
    expect(text).not.toContain('[object');
    expect(text).not.toContain('>undefined');
  },
);

test.each(pages)('%s has one title, landmarks, and headings that skip no level', async (path) => {
  const { text } = await send(url, 'GET', path);
  expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
  for (const [heading, attributes] of text.matchAll(/<h\d([^>]*)>/g)) expect(attributes, heading).toMatch(/ id="/);
  for (const landmark of ['<header', '<main', '<nav aria-label="Pages"', '<nav class="contents" aria-label=']) {
    expect(text.split(landmark)).toHaveLength(2);
  }
  const levels = [...text.matchAll(/<h(\d)/g)].map((match) => Number(match[1]));
  expect(levels.filter((level) => level === 1)).toEqual([1]);
  for (const [index, level] of levels.entries()) expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1);
  const ids = idsIn(text);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, anchor] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(anchor);
});

test('links between the pages lead somewhere', async () => {
  const texts = await textsOf(pages);
  const addresses = [...texts.values()].flatMap((text) =>
    [...text.matchAll(/href="(\/[^"#]+)(?:#([^"]+))?"/g)].map(([, path = '', anchor = '']) => ({ path, anchor })),
  );
  for (const path of new Set(addresses.map((each) => each.path)))
    expect((await send(url, 'GET', path)).status, path).toBe(200);
  for (const { path, anchor } of addresses) if (anchor !== '') expect(idsIn(texts.get(path) ?? '')).toContain(anchor);
});

test('every page is there as Markdown, which says the same, and llms.txt leads to it', async () => {
  const { headers: ofList, text: list } = await send(url, 'GET', '/llms.txt');
  expect(ofList['content-type']).toBe('text/plain; charset=utf-8');
  for (const path of pages) {
    expect(list).toContain(`(${url}${path}.md)`);
    const { status, headers, text } = await send(url, 'GET', `${path}.md`);
    expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/markdown; charset=utf-8']);
    expect(text).toMatch(/^# \w/);
    expect(text).not.toContain('base-url.invalid');
    const words = text.replaceAll(/```[\s\S]*?```|`[^`]*`/g, '');
    expect(words).not.toMatch(/<\/?[a-z]+|&(amp|lt|gt|quot|#39);/);
    const { text: page } = await send(url, 'GET', path);
    expect(text.match(/^#{1,4} /gm)?.length).toBeGreaterThanOrEqual([...page.matchAll(/<h\d/g)].length);
    for (const [, linked = ''] of text.matchAll(/\]\((http[^)#]+)/g)) expect(linked).toMatch(new RegExp(`^${url}/`));
  }
});

test('no page for developers is larger over the wire than 30 KB', async () => {
  for (const path of pages) {
    const { bytes } = await send(url, 'GET', path, { headers: { 'accept-encoding': 'br' } });
    expect(bytes.length, path).toBeLessThan(30_000);
  }
});

test('every public error code has its anchor: the type of a problem document leads there', async () => {
  const { json } = await send(url, 'GET', '/api/v1/orders');
  const type = new URL(json.type);
  const { text } = await send(url, 'GET', type.pathname);
  const ids = idsIn(text);
  expect(ids).toContain(type.hash.slice(1));
  for (const code of Object.keys(errorCodes) as (keyof typeof errorCodes)[]) expect(ids).toContain(publicCode(code));
});

test('the page about MCP names every tool', async () => {
  const { text } = await send(url, 'GET', '/developers/mcp');
  for (const { name } of [...namedTools, ...genericTools]) expect(text).toContain(`<code>${name}</code>`);
});

test('what the page sends to a checkout is what a checkout takes', () => {
  const sent = [...`${openCheckout}${payCheckout}`.matchAll(/-d '(.+)'/g)].map(([, body = '']) => JSON.parse(body));
  const schemas = [openCheckoutBody, updateCheckoutBody, payCheckoutBody, decideUpsellBody];
  expect(sent).toHaveLength(schemas.length);
  for (const [index, schema] of schemas.entries()) expect(schema.parse(sent[index])).toEqual(sent[index]);
});

const programOf = (sample: string) => import(`data:text/javascript,${encodeURIComponent(sample)}`);

test('the program on the page reads the whole log, a page at a time, and says where to go on', async () => {
  const events = Array.from({ length: 5 }, (_, at) => ({ id: `evt_${at}`, event: 'order.paid', payload: { at } }));
  const log = await startReceiver({
    respond: ({ path }) => {
      const after = new URL(path, 'http://log').searchParams.get('after');
      const from = events.findIndex(({ id }) => id === after) + 1;
      const page = { data: events.slice(from, from + 2), has_more: from + 2 < events.length };
      return { status: 200, body: JSON.stringify(page) };
    },
  });
  const program = await programOf(catchUp.replaceAll(placeholderUrl, log.url));
  const handled: string[] = [];
  const handle = async (id: string) => void handled.push(id);
  expect(await program.catchUp('fnl_key', undefined, handle)).toBe('evt_4');
  expect(handled).toEqual(events.map(({ id }) => id));
  expect(await program.catchUp('fnl_key', 'evt_2', handle)).toBe('evt_4');
  expect(handled.slice(5)).toEqual(['evt_3', 'evt_4']);
  expect(log.requests[0]).toMatchObject({
    path: '/api/v1/events?limit=100',
    headers: { authorization: 'Bearer fnl_key' },
  });
  log.respondWith(() => ({ status: 401 }));
  await expect(program.catchUp('fnl_key', undefined, handle)).rejects.toThrow('401');
  await log.close();
});

test('every endpoint that the pages’ words name is there', async () => {
  const text = [...(await textsOf(pages)).values()].join('\n');
  const named = [...text.matchAll(/<code>(GET|POST|PUT|PATCH|DELETE) (\/api\/[^<]+)<\/code>/g)];
  expect(named.length).toBeGreaterThan(10);
  const known = operations.map(({ method, path }) => `${method} ${path}`);
  for (const [, method, path] of named) expect(known).toContain(`${method} ${path}`);
});

/** The requests for a shell on a page, in order. */
function requestsOn(markdown: string): { method: string; path: string; query: URLSearchParams; body: unknown }[] {
  const samples = [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, sample = '']) =>
    sample.split(/(?=\bcurl )/),
  );
  return samples.flatMap((sample) => {
    const address = /(?:https?:\/\/[^/\s'"]+|\$BASE|\$CHECKOUT)(\/[^\s'"]*)?/.exec(sample);
    if (!sample.startsWith('curl ') || address === null) return [];
    const body = /-d '([\s\S]*?)'(?:\s|\)|$)/.exec(sample)?.[1];
    const checkout = address[0].startsWith('$CHECKOUT') ? '/api/checkout/cko_1' : '';
    const { pathname, searchParams } = new URL(`${checkout}${address[1] ?? ''}`, url);
    const method = /-X ([A-Z]+)/.exec(sample)?.[1] ?? (body === undefined ? 'GET' : 'POST');
    return [{ method, path: pathname, query: searchParams, body: body === undefined ? undefined : JSON.parse(body) }];
  });
}

test('every request on the pages is one that its operation takes', async () => {
  const routes = operations.map((operation) => {
    const pattern = operation.path.replaceAll(/\{\w+\}/g, '[^/]+');
    return { operation, matches: new RegExp(`^${operation.method} ${pattern}$`) };
  });
  let checked = 0;
  for (const page of pages) {
    for (const { method, path, query, body } of requestsOn((await send(url, 'GET', `${page}.md`)).text)) {
      // The protocol describes what goes to MCP, and the client is a file.
      if (path === '/api/mcp' || path === '/developers/client.ts') continue;
      const { operation } = routes.find(({ matches }) => matches.test(`${method} ${path}`)) ?? {};
      expect(operation?.id, `${page}: ${method} ${path}`).toBeDefined();
      const refused = [
        operation?.body?.safeParse(body).error?.issues ?? [],
        operation?.query?.safeParse(Object.fromEntries(query)).error?.issues ?? [],
      ];
      expect([page, operation?.id, ...refused]).toEqual([page, operation?.id, [], []]);
      checked += 1;
    }
  }
  expect(checked).toBeGreaterThan(operations.length);
});

test('whatever is put into a page is text', () => {
  const hostile = `<img src=x onerror="a('b')">&`;
  expect(html`<p>${hostile}</p>`.text).toBe('<p>&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;</p>');
  expect(withCode('a `<b>` c').text).toBe('a <code>&lt;b&gt;</code> c');
});
