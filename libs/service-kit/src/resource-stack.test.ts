import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { silentLogger } from './logger.ts';
import { ResourceStack } from './resource-stack.ts';

test('resources close in reverse order, each after the one before has closed', async () => {
  const steps: string[] = [];
  const resources = new ResourceStack(silentLogger());
  for (const name of ['database', 'messaging', 'server']) {
    const resource = resources.add(name, { name }, async (it) => {
      steps.push(`${it.name} closing`);
      await Promise.resolve();
      steps.push(`${it.name} closed`);
    });
    expect(resource).toEqual({ name });
  }
  await resources.close();
  const order = ['server', 'messaging', 'database'];
  expect(steps).toEqual(order.flatMap((name) => [`${name} closing`, `${name} closed`]));
});

test('a failure is logged with its resource, and the rest still closes', async () => {
  const lines: string[] = [];
  const closed: string[] = [];
  const resources = new ResourceStack(pino({}, { write: (line) => lines.push(line) }));
  resources.add('first', 'first', (name) => void closed.push(name));
  resources.add('rejects', 0, () => Promise.reject(new Error('gone')));
  resources.add('throws', 0, () => {
    throw new Error('broken');
  });
  await resources.close();
  expect(closed).toEqual(['first']);
  expect(lines.map((line) => JSON.parse(line).resource)).toEqual(['throws', 'rejects']);
});

test('closing twice closes once', async () => {
  let closes = 0;
  const resources = new ResourceStack(silentLogger());
  resources.add('counter', undefined, () => {
    closes += 1;
  });
  await Promise.all([resources.close(), resources.close()]);
  await resources.close();
  expect(closes).toBe(1);
});

test('a resource that hangs does not hold the end beyond the limit, and the others are still closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  try {
    let requested = 0;
    const resources = new ResourceStack(silentLogger());
    resources.add('other', undefined, () => {
      requested += 1;
    });
    resources.add('hangs', undefined, () => new Promise(() => {}));
    const closed = resources.close(5_000);
    await vi.advanceTimersByTimeAsync(5_000);
    await closed;
    expect(requested).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

test('what is opened while closing is closed and refused', async () => {
  let closed = false;
  const resources = new ResourceStack(silentLogger());
  await resources.close();
  expect(() =>
    resources.add('late', undefined, () => {
      closed = true;
    }),
  ).toThrow('late');
  expect(closed).toBe(true);
});
