import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { orderPaid } from '@app/contracts/orders';
import { freePort } from '@app/embedded/ports';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { expect, onTestFinished, test } from 'vitest';
import { Client, isProblem, verify } from '../clients/typescript/client.ts';
import { addProduct, placeOrder, type Seller, signUp } from './support/seller.ts';
import { platform, seller, signUpSeller } from './support/set-up.ts';
import { followOutput } from './support/standalone.ts';
import { handled } from './support/waits.ts';

/** Guarantee: a developer gets every event of an account on their machine, in order and signed, and can make one happen. */
signUpSeller();

const root = join(import.meta.dirname, '..');
const programOf = (name: string): string => join(root, `deploy/standalone/src/${name}.ts`);

async function dataDirOf(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'funnelry-developer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return folder;
}

const environment = ({ apiKey }: Seller, dataDir: string) => ({
  ...process.env,
  BASE: platform.baseUrl,
  KEY: apiKey,
  DATA_DIR: dataDir,
});

/** `npm run listen`, until it says that it listens. */
async function startListening(dataDir: string, to: string, { of = seller } = {}) {
  const child = spawn(process.execPath, [programOf('listen'), '--to', to], {
    env: environment(of, dataDir),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const said = followOutput(child);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await said.until(/^listening: /, ended);
  const secret = /^signing secret (\S+)$/m.exec(said.output())?.[1] ?? '';
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return { secret, said, ended, kill };
}

async function trigger(dataDir: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return await triggerIn(environment(seller, dataDir), ...args);
}

async function triggerIn(env: NodeJS.ProcessEnv, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const run = promisify(execFile)(process.execPath, [programOf('trigger'), ...args], { env });
  return await run.catch((err: { stdout: string; stderr: string }) => err);
}

const idsOf = ({ requests }: Receiver) => requests.map(({ headers }) => headers['webhook-id']);

test('events come to a local port in the order of the log, signed, and after a kill those that were missed', async () => {
  const [dataDir, receiver] = [await dataDirOf(), await startReceiver()];
  const { slug } = await addProduct(seller, 'course');
  const before = await placeOrder(seller, { productSlug: slug, email: 'before@example.com' });
  await handled('webhook-dispatcher', orderPaid, (data) => data.orderId === before);
  const first = await startListening(dataDir, `${receiver.url}/hook`);
  const orderId = await placeOrder(seller, { productSlug: slug, email: 'ada@example.com' });
  const [request] = await receiver.received(1);
  const event = await verify(request?.body ?? '', request?.headers ?? {}, first.secret);
  expect(event).toMatchObject({ name: 'order.paid', isTest: false, payload: { orderId } });
  await first.said.until(/^order\.paid evt_\w+ → 200$/, first.ended);
  await first.kill();
  for (const email of ['b@example.com', 'c@example.com', 'd@example.com'])
    await placeOrder(seller, { productSlug: slug, email });
  const second = await startListening(dataDir, `${receiver.url}/hook`);
  expect(second.secret).toBe(first.secret);
  const emails = (await receiver.received(4)).map(({ body }) => JSON.parse(body).email);
  expect(emails).toEqual(['ada@example.com', 'b@example.com', 'c@example.com', 'd@example.com']);
  const log = await seller.call('GET', '/api/v1/events');
  expect(idsOf(receiver)).toEqual(log.json.data.slice(1).map(({ id }: { id: string }) => id));
});

test('a killed listener goes on where it was, also before its first event and beside another port', async () => {
  const [dataDir, one, other] = [await dataDirOf(), await startReceiver(), await startReceiver()];
  const nobody = await signUp(platform.baseUrl);
  const first = await startListening(dataDir, `${one.url}/hook`, { of: nobody });
  const second = await startListening(dataDir, `${other.url}/hook`, { of: nobody });
  await second.kill();
  const { slug } = await addProduct(nobody, 'first-sale');
  await placeOrder(nobody, { productSlug: slug, email: 'first@example.com' });
  await one.received(1);
  await first.said.until(/^order\.paid evt_\w+ → 200$/, first.ended);
  const again = await startListening(dataDir, `${other.url}/hook`, { of: nobody });
  expect((await other.received(1)).map(({ body }) => JSON.parse(body).email)).toEqual(['first@example.com']);
  expect(again.secret).toBe(first.secret);
});

test('while the local port does not answer events wait, and none is passed over', async () => {
  const dataDir = await dataDirOf();
  const port = await freePort();
  const { slug } = await addProduct(seller, 'waits');
  const listening = await startListening(dataDir, `http://127.0.0.1:${port}/hook`);
  await placeOrder(seller, { productSlug: slug, email: 'first@example.com' });
  await placeOrder(seller, { productSlug: slug, email: 'second@example.com' });
  await listening.said.until(/cannot be reached .* It waits\.$/, listening.ended);
  const receiver = await startReceiver({ port, respond: () => ({ status: 500 }) });
  const emails = (await receiver.received(2)).map(({ body }) => JSON.parse(body).email);
  expect(emails).toEqual(['first@example.com', 'second@example.com']);
  await listening.said.until(/→ 500, not acknowledged$/, listening.ended);
});

test('an event is made to happen as a rehearsal, and what cannot be says why', async () => {
  const [dataDir, receiver] = [await dataDirOf(), await startReceiver()];
  await addProduct(seller, 'rehearsed');
  const listening = await startListening(dataDir, receiver.url);
  expect((await trigger(dataDir, 'order.refunded', '--product', 'rehearsed')).stdout).toMatch(
    /^A test order, refunded: ord_/,
  );
  const sent = await receiver.received(2);
  expect(sent.map(({ headers }) => [headers['x-service-event'], headers['x-service-test']]).toSorted()).toEqual([
    ['order.paid', '1'],
    ['order.refunded', '1'],
  ]);
  for (const { body, headers } of sent)
    await expect(verify(body, headers, listening.secret)).resolves.toMatchObject({ isTest: true });
  for (const [args, reason] of [
    [['order.paid', '--product', 'nothing'], /No live one-time product of the account has the slug nothing\./],
    [['subscription.paused'], /The account has no live subscription/],
    [['subscription.rebilled'], /add --advance/],
    [['payment.refunded'], /switch test mode on/],
    [['dispute.opened'], /none is connected/],
    [['order.shipped'], /^Name one event\./],
  ] as const)
    expect((await trigger(dataDir, ...args)).stderr).toMatch(reason);
  const nowhere = { ...environment(seller, dataDir), BASE: `http://127.0.0.1:${await freePort()}` };
  expect((await triggerIn(nowhere, 'order.paid')).stderr).toMatch(/ECONNREFUSED/);
  const endpoint = await startReceiver();
  await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: `${endpoint.url}/hook` } });
  expect((await trigger(dataDir, 'dispute.opened')).stdout).toMatch(/^A sample of dispute\.opened to /);
  const isDispute = ({ headers }: { headers: Record<string, unknown> }) =>
    headers['x-service-event'] === 'dispute.opened';
  expect(await endpoint.received(1, isDispute)).toHaveLength(1);
});

test('the typed client sells, lists and refunds at a real deployment, and its refusals are typed', async () => {
  const shop = new Client({ baseUrl: platform.baseUrl, key: seller.apiKey });
  const body = {
    name: 'Typed',
    slug: 'typed',
    priceCents: 4_900,
    currency: 'usd',
    pricingType: 'onetime',
    status: 'live',
  } as const;
  const product = await shop.createProduct({ body });
  const ids: string[] = [];
  for (const name of ['1', '2', '3']) {
    const order = { body: { productSlug: 'typed', email: `${name}@example.com` } };
    const { orderId } = await shop.createOrder(order, { idempotencyKey: `typed-${name}` });
    expect(await shop.createOrder(order, { idempotencyKey: `typed-${name}` })).toMatchObject({ orderId });
    ids.unshift(orderId);
  }
  const listed: string[] = [];
  const query = { productId: product.id, limit: 2 };
  for await (const { id } of shop.iterateOrders({ query })) listed.push(id);
  expect(listed).toEqual(ids);
  const refunded = await shop.refundOrder({ orderId: ids[0] ?? '', body: {} });
  expect(refunded.status).toBe('refunded');
  const unknown = await shop.getOrder({ orderId: product.id.replace('prd_', 'ord_') }).catch((err: unknown) => err);
  expect(isProblem(unknown, 'order_not_found')).toBe(true);
  await expect(
    shop.updateProduct({ productId: product.id, body: { name: 'N' } }, { ifVersion: 9 }),
  ).rejects.toMatchObject({ code: 'version_changed' });
  expect(await shop.exportOrders({ query: { productId: product.id } })).toContain('3@example.com');
});
