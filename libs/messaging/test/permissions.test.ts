import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer, type RunningNatsServer, startNatsServer } from '@app/embedded/nats-server';
import { type Arrivals, createArrivals } from '@app/testing/arrivals';
import { guardLeaks } from '@app/testing/leak-guard';
import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { natsUsersConfig } from '../src/permissions.ts';
import { ensureStream, openStreams } from '../src/streams.ts';

guardLeaks();

let directory: string;
let nats: RunningNatsServer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'funnelry-permissions-'));
  const configFile = join(directory, 'nats.conf');
  await writeFile(
    configFile,
    natsUsersConfig((service) => `"password-of-${service}"`),
  );
  const binary = await findNatsServer({ env: process.env, log: () => undefined });
  nats = await startNatsServer({ binary, dataDir: join(directory, 'data'), configFile });
});

afterAll(async () => {
  await nats.stop();
  await rm(directory, { recursive: true, force: true });
});

const linkOf = (service: 'checkout' | 'metrics' | 'gateway') =>
  connectNats({ url: nats.url, service, user: service, password: `password-of-${service}` });

/** What its connection reports. */
function errorsOf({ connection }: NatsClient): Arrivals<string> {
  const errors = createArrivals<string>();
  void (async () => {
    for await (const status of connection.status()) if (status.type === 'error') errors.push(String(status.error));
  })();
  return errors;
}

test('a service may neither publish another’s events, nor change its stream, nor read another’s answers', async () => {
  const checkout = await linkOf('checkout');
  const metrics = await linkOf('metrics');
  try {
    await ensureStream(await openStreams(checkout), 'checkout', 1);
    const errors = errorsOf(metrics);
    metrics.connection.publish('evt.checkout.order.paid.v1', '{}');
    metrics.connection.subscribe('_INBOX_gateway.>', { callback: () => undefined });
    metrics.connection.subscribe('svc.billing.>', { callback: () => undefined });
    await errors.wait(3);
    expect(errors.list.every((error) => /permissions violation/i.test(error))).toBe(true);
    const foreign = await jetstreamManager(metrics.connection, { checkAPI: false, timeout: 300 });
    await expect(foreign.streams.update('EVT_CHECKOUT', { max_msgs: 1 })).rejects.toThrow();
    expect((await (await openStreams(metrics)).streams.info('EVT_CHECKOUT')).state.messages).toBe(0);
  } finally {
    await checkout.close();
    await metrics.close();
  }
});

test('a service answers those who call it, and can put no answer into another’s inbox', async () => {
  const gateway = await linkOf('gateway');
  const metrics = await linkOf('metrics');
  try {
    const errors = errorsOf(metrics);
    metrics.connection.subscribe('svc.metrics.echo', { callback: (_err, message) => void message.respond('answered') });
    await metrics.connection.flush();
    expect((await gateway.connection.request('svc.metrics.echo', '', { timeout: 20_000 })).string()).toBe('answered');
    // Only the gateway sends requests to metrics.
    metrics.connection.publish('_INBOX_checkout.forged', 'an answer');
    expect((await errors.wait(1))[0]).toMatch(/permissions violation for publish to "_INBOX_checkout.forged"/i);
  } finally {
    await gateway.close();
    await metrics.close();
  }
});

test('nats-server is not configured to remember the reply subject of every message', () => {
  expect(natsUsersConfig(() => '"p"')).not.toContain('allow_responses');
});

test('a user without its password gets no connection', async () => {
  const wrong = { url: nats.url, service: 'gateway' as const, user: 'gateway', password: 'a guess' };
  await expect(connectNats(wrong)).rejects.toThrow(/authorization/i);
});
