import { afterEach, expect, test, vi } from 'vitest';
import { startHealthServer } from './health-server.ts';
import { type Check, readiness } from './service.ts';

const passing: Check = { name: 'database', check: async () => {} };
const failing: Check = { name: 'messaging', check: () => Promise.reject(new Error('no connection')) };
const hanging: Check = { name: 'migrations', check: () => new Promise(() => {}) };

let close: (() => Promise<void>) | undefined;

afterEach(async () => {
  await close?.();
  close = undefined;
});

async function get(path: string, checks: Check[]): Promise<{ status: number; body: unknown }> {
  const server = await startHealthServer({ port: 0, host: '127.0.0.1', checks });
  close = () => server.close();
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
  return { status: response.status, body: await response.json() };
}

test('a process that answers is alive, whatever it lacks', async () => {
  expect(await get('/healthz', [failing])).toEqual({ status: 200, body: { status: 'ok' } });
});

test('a process with a part that only a new process can mend is not alive', async () => {
  const closed: Check = {
    ...failing,
    checkAlive: () => {
      throw new Error('closed for good');
    },
  };
  expect(await get('/healthz', [passing, closed])).toEqual({
    status: 503,
    body: { status: 'not alive', missing: ['messaging'] },
  });
});

test('a service is ready when every check passes', async () => {
  expect(await get('/readyz', [passing])).toEqual({ status: 200, body: { status: 'ready', missing: [] } });
});

test('a service that is not ready names what is missing', async () => {
  const { status, body } = await get('/readyz', [passing, failing]);
  expect([status, body]).toEqual([503, { status: 'not ready', missing: ['messaging'] }]);
});

test('a check that has not answered after a second is missing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const checked = readiness([passing, failing, hanging]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await checked).toEqual({ ready: false, missing: ['messaging', 'migrations'] });
  } finally {
    vi.useRealTimers();
  }
});

test('a check that throws at once counts as missing', async () => {
  const throwing: Check = {
    name: 'clock',
    check: () => {
      throw new Error('not started');
    },
  };
  expect((await get('/readyz', [throwing])).body).toEqual({ status: 'not ready', missing: ['clock'] });
});

test('other paths are unknown', async () => {
  expect((await get('/metrics', [])).status).toBe(404);
});

test('a port in use is an error, not a hang', async () => {
  const server = await startHealthServer({ port: 0, host: '127.0.0.1', checks: [] });
  close = () => server.close();
  await expect(startHealthServer({ port: server.port, host: '127.0.0.1', checks: [] })).rejects.toThrow('EADDRINUSE');
});
