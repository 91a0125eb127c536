import { newId } from '@app/contracts/ids';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client2025 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport2025 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeAll, expect, test } from 'vitest';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { messageOf, modernRpc, rpc } from './mcp-client.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();
let key: string;
let accountId: string;
let writeKey: string;
beforeAll(async () => {
  const seller = await createSeller(url);
  ({ key, accountId } = seller);
  const body = { name: 'writes', scopes: ['write'] };
  writeKey = (await send(url, 'POST', '/api/v1/api-keys', { session: seller.session, body })).json.key;
});

const ask = async (method: string, params: object = {}, bearer = key) =>
  messageOf((await modernRpc(url, bearer, method, { ...params })).text);
const read = (uri: string, bearer = key) => ask('resources/read', { uri }, bearer);

test('clients of both eras find the resources, the templates and the prompt', async () => {
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const modern = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await modern.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`), { requestInit }));
  const former = new Client2025({ name: 'test', version: '1' });
  const transport = new Transport2025(new URL(`${url}/api/mcp`), { requestInit });
  await former.connect(transport as unknown as Parameters<typeof former.connect>[0]);
  for (const client of [modern, former]) {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['checkout://operations', 'checkout://settings']);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'checkout://products/{productId}',
      'checkout://orders/{orderId}',
    ]);
    expect((await client.listPrompts()).prompts).toMatchObject([{ title: 'What needs my attention today?' }]);
    const { messages } = await client.getPrompt({ name: 'needs_attention' });
    expect(messages).toMatchObject([{ role: 'user', content: { type: 'text' } }]);
    await client.close();
  }
});

test('a resource is the body of the operation, of the key’s account', async () => {
  const other = await createSeller(url);
  for (const bearer of [key, other.key]) {
    const overHttp = await send(url, 'GET', '/api/v1/settings', { key: bearer });
    const { contents } = (await read('checkout://settings', bearer)).result;
    expect(contents).toMatchObject([{ uri: 'checkout://settings', mimeType: 'application/json' }]);
    expect(JSON.parse(contents[0].text)).toEqual(overHttp.json);
  }
  expect((await read('checkout://operations')).result.contents[0].text).toMatch(/^listPayments: /m);
});

test('a template reads the thing of its id, and of another account’s nothing', async () => {
  const productId = newId('product', Date.now());
  harness.books.product = `${accountId} ${productId}`;
  const { contents } = (await read(`checkout://products/${productId}`)).result;
  expect(contents).toEqual([{ uri: `checkout://products/${productId}`, mimeType: 'application/json', text: '{}' }]);
  const other = await createSeller(url);
  expect((await read(`checkout://products/${productId}`, other.key)).error).toMatchObject({ code: -32602 });
  for (const uri of [
    `checkout://products/${newId('product', Date.now())}`,
    'checkout://products/nonsense',
    'checkout://nothing',
    'x',
  ])
    expect((await read(uri)).error).toMatchObject({ code: -32602, data: { uri } });
});

test('clients of each era get its code for a resource that there is not', async () => {
  const uri = 'checkout://"nothing"';
  const ofNow = (await read(uri)).error;
  expect(ofNow).toEqual({ code: -32602, message: expect.stringContaining(uri), data: { uri } });
  const former = messageOf((await rpc(url, key, 'resources/read', { uri })).text);
  expect(former.error).toEqual({ ...ofNow, code: -32002 });
  const client = new Client2025({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const transport = new Transport2025(new URL(`${url}/api/mcp`), { requestInit });
  await client.connect(transport as unknown as Parameters<typeof client.connect>[0]);
  await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32002, data: { uri } });
  await client.close();
});

test('a key sees and reads just what its scopes allow', async () => {
  const { resources } = (await ask('resources/list', {}, writeKey)).result;
  expect(resources.map(({ uri }: { uri: string }) => uri)).toEqual(['checkout://operations']);
  expect((await ask('resources/templates/list', {}, writeKey)).result.resourceTemplates).toEqual([]);
  expect((await ask('prompts/list', {}, writeKey)).result.prompts).toEqual([]);
  expect((await read('checkout://settings', writeKey)).error).toMatchObject({ data: { code: 'insufficient_scope' } });
  const { text } = (await read('checkout://operations', writeKey)).result.contents[0];
  expect(text).toMatch(/^createOrder: /m);
  expect(text).not.toMatch(/^list/m);
});

test('what a client may keep is its own', async () => {
  for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])
    expect((await ask(method)).result).toMatchObject({ cacheScope: 'private', ttlMs: 300_000 });
  expect((await read('checkout://settings')).result).toMatchObject({ cacheScope: 'private', ttlMs: 0 });
});

test('the prompt names today and calls that only read', async () => {
  harness.clock.moveTo(new Date('2026-11-29T10:00:00Z'));
  const { messages } = (await ask('prompts/get', { name: 'needs_attention' })).result;
  const [{ content }] = messages;
  expect(content.text).toContain('{"from":"2026-11-29","to":"2026-11-29"}');
  const calls = [...content.text.matchAll(/^\d+\. `(\w+)` with `(.*)`: /gm)];
  expect(calls.length).toBeGreaterThan(5);
  const { tools } = (await ask('tools/list')).result;
  for (const [, name, args] of calls) {
    const tool = tools.find((one: { name: string }) => one.name === name);
    expect([name, tool?.annotations.readOnlyHint]).toEqual([name, true]);
    for (const argument of Object.keys(JSON.parse(args))) expect(tool.inputSchema.properties).toHaveProperty(argument);
  }
  expect((await ask('prompts/get', { name: 'nothing' })).error).toMatchObject({ code: -32602 });
});
