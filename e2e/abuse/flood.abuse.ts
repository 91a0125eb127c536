import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@app/embedded/ports';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { atRate } from '@app/testing/pace';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { print } from '../support/print.ts';
import { addProduct, type Seller, signUp } from '../support/seller.ts';
import { readCredentials, type Standalone, startStandalone } from '../support/standalone.ts';
import type { FlooderMessage, FloodMessage } from './flooder.ts';

/** Bound: beside a seller who floods, the 95th percentile of another's is at most so many times the quiet one. */
const ratios = { orders: 2, reads: 2, webhooks: 1.5 };
/**
 * A limit is of a minute: each round has all of one, after a quiet one. The median round counts, so that a second in which the machine
 * did something else decides nothing; but no round may be worse than twice the bound.
 */
const [rounds, seconds, perSecond] = [3, 60, 4];
/** Of the 600 requests of a minute; fewer are no flood. */
const servedMin = 400;
const [connections, endpoints, automations] = [32, 20, 100];

let [directory, standalone, flooder]: [string, Standalone | undefined, ChildProcess | undefined] = [
  '',
  undefined,
  undefined,
];
let [calm, flooding]: [Seller, Seller] = [undefined as never, undefined as never];
let receiver: Receiver;
let task: Extract<FloodMessage, { begin: object }>['begin'];

const reply = async (child: ChildProcess): Promise<FlooderMessage> => (await once(child, 'message'))[0];
const said = async (answer: Promise<{ status: number; text: string }>): Promise<void> => {
  const { status, text } = await answer;
  if (status !== 200) throw new Error(`${status} ${text}`);
};

/** `npm start` with its own defaults, and the seller who floods as a process beside it. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'funnelry-flood-'));
  standalone = startStandalone(join(directory, 'data'), await freePort());
  await standalone.until(/^ready /);
  const { baseUrl } = await readCredentials(standalone.dataDir);
  receiver = await startReceiver();
  [calm, flooding] = [await signUp(baseUrl), await signUp(baseUrl)];
  await addProduct(calm);
  await said(calm.call('PUT', '/api/v1/webhook-endpoint', { body: { url: receiver.url } }));
  flooder = fork(join(import.meta.dirname, 'flooder.ts'));
  const { receiverUrl } = (await reply(flooder)) as { receiverUrl: string };
  const { productId } = await addProduct(flooding);
  await said(flooding.call('PUT', '/api/v1/webhook-endpoint', { body: { url: receiverUrl } }));
  const endpointId = (await flooding.call('GET', '/api/v1/webhook-endpoints')).json.data[0].id;
  for (let n = 1; n < endpoints; n += 1) {
    await said(flooding.call('POST', '/api/v1/webhook-endpoints', { body: { url: `${receiverUrl}/${n}` } }));
  }
  for (let n = 0; n < automations; n += 1) {
    const action = { type: 'post', url: `${receiverUrl}/automation/${n}` };
    await said(
      flooding.call('POST', '/api/v1/automations', { body: { name: `Own ${n}`, event: 'order.paid', action } }),
    );
  }
  const { handle } = (await flooding.call('GET', '/api/v1/settings')).json;
  task = { baseUrl, apiKey: flooding.apiKey, handle, productId, endpointId, connections };
});

afterAll(async () => {
  flooder?.kill('SIGKILL');
  await standalone?.end('SIGKILL');
  await receiver.close();
  await rm(directory, { recursive: true, force: true });
});

/** Milliseconds of the calm seller's orders, reads and webhooks; a webhook's begins when its order is answered. */
interface Times {
  readonly orders: number[];
  readonly reads: number[];
  readonly webhooks: number[];
}
const kinds = ['orders', 'reads', 'webhooks'] as const;
const nothing = (): Times => ({ orders: [], reads: [], webhooks: [] });

async function oneRound(times: Times, forSeconds = seconds): Promise<void> {
  const order = async (): Promise<void> => {
    const beganMs = performance.now();
    const { status, json } = await calm.call('POST', '/api/v1/orders', {
      body: { productSlug: 'course', email: 'ada@example.com' },
    });
    times.orders.push(performance.now() - beganMs);
    const answeredMs = Date.now();
    expect(status).toBe(200);
    const [webhook] = await receiver.received(1, ({ body }) => body.includes(json.orderId));
    times.webhooks.push(Math.max(1, (webhook as { atMs: number }).atMs - answeredMs));
  };
  const read = async (): Promise<void> => {
    const beganMs = performance.now();
    expect((await calm.call('GET', '/api/v1/orders?limit=20')).status).toBe(200);
    times.reads.push(performance.now() - beganMs);
  };
  const count = forSeconds * perSecond;
  await Promise.all([atRate(count, perSecond, order), atRate(count, perSecond, read)]);
}

async function whileFlooded(work: () => Promise<void>): Promise<Record<string, number>> {
  const child = flooder as ChildProcess;
  child.send({ begin: task } satisfies FloodMessage);
  await work();
  const answered = reply(child);
  child.send({ end: true } satisfies FloodMessage);
  return ((await answered) as { statuses: Record<string, number> }).statuses;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const p95 = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] as number;

test('a seller who floods every operation leaves another seller their orders, reads and webhooks', async () => {
  await oneRound(nothing(), 10);
  const measured = { orders: [] as number[], reads: [] as number[], webhooks: [] as number[] };
  for (let round = 1; round <= rounds; round += 1) {
    const [quiet, flooded] = [nothing(), nothing()];
    await oneRound(quiet);
    const statuses = await whileFlooded(() => oneRound(flooded));
    const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
    print(`flood ${round}: in ${seconds} s over ${connections} connections ${counts.join(', ')}`);
    expect(statuses['200'] ?? 0).toBeGreaterThanOrEqual(servedMin);
    for (const kind of kinds) {
      const [before, during] = [p95(quiet[kind]), p95(flooded[kind])];
      measured[kind].push(during / before);
      print(`${kind}: p95 ${before.toFixed(1)} ms in quiet, ${during.toFixed(1)} ms beside the flood`);
    }
  }
  const judged = kinds.map((kind) => {
    const [ratio, worst] = [median(measured[kind]), Math.max(...measured[kind])];
    const all = measured[kind].map((one) => one.toFixed(2)).join(', ');
    print(`${kind}: ${all} times the quiet p95; the median is ${ratio.toFixed(2)}, allowed are ${ratios[kind]}`);
    return { kind, ratio, worst, within: ratio <= ratios[kind] && worst <= 2 * ratios[kind] };
  });
  expect(judged.filter(({ within }) => !within)).toEqual([]);
}, 900_000);
