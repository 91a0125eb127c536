import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DomainError } from '@app/contracts/errors';
import { expect, onTestFinished, test } from 'vitest';
import { spawnNode } from '../src/child-service.ts';
import { eventually } from '../src/eventually.ts';
import { fakeClock } from '../src/fake-clock.ts';
import { startReceiver } from '../src/http-receiver.ts';
import { guardLeaks } from '../src/leak-guard.ts';
import { patiently } from '../src/patiently.ts';

guardLeaks();

test('eventually returns the first answer that is neither false nor undefined, and 0 is an answer', async () => {
  const answers = [undefined, false, 0];
  expect(await eventually(() => answers.shift(), { everyMs: 1 })).toBe(0);
});

test('eventually fails with the last error of the probe', async () => {
  let tries = 0;
  const probe = () => {
    throw new Error(`try ${++tries}`);
  };
  await expect(eventually(probe, { withinMs: 30, everyMs: 5, message: 'The order' })).rejects.toThrow(
    /^The order: .*try \d+$/,
  );
  expect(tries).toBeGreaterThan(1);
});

test('who asks patiently asks again while a service does not answer, and hears every other refusal at once', async () => {
  const codes = ['service_unavailable', 'outcome_unknown', 'invalid_transition'] as const;
  let asked = 0;
  const ask = () => Promise.reject(new DomainError(codes[asked++] ?? 'internal', 'no'));
  await expect(patiently(ask)).rejects.toMatchObject({ code: 'invalid_transition' });
  expect(await patiently(async () => asked)).toBe(3);
});

test('eventually looks again after a machine that stood still for longer than its time', async () => {
  let looks = 0;
  const standStill = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  const probe = () => {
    looks += 1;
    if (looks === 1) standStill();
    return looks === 3;
  };
  expect(await eventually(probe, { withinMs: 50, everyMs: 1 })).toBe(true);
});

test('the fake clock stands still until it is moved', () => {
  const clock = fakeClock('2026-03-01T00:00:00Z');
  clock.advance(86_400_000);
  expect(clock.now().toISOString()).toBe('2026-03-02T00:00:00.000Z');
  clock.set('2027-01-01T00:00:00Z');
  expect(clock.nowMs()).toBe(Date.UTC(2027, 0, 1));
  expect(() => clock.set('yesterday')).toThrow('Not an instant');
});

test('the receiver keeps every request and answers as told', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  receiver.respondWith((req, n) => ({ status: n === 1 ? 503 : 200, body: req.path }));
  const post = () => fetch(`${receiver.url}/hook?a=1`, { method: 'POST', body: '{"x":1}', headers: { 'x-id': '7' } });
  expect((await post()).status).toBe(503);
  expect(await (await post()).text()).toBe('/hook?a=1');
  expect(receiver.requests).toHaveLength(2);
  expect(receiver.requests[0]).toMatchObject({
    method: 'POST',
    path: '/hook?a=1',
    body: '{"x":1}',
    headers: { 'x-id': '7' },
  });
});

test('closing the receiver does not wait for an answer that is late', async () => {
  const receiver = await startReceiver({ respond: () => ({ status: 200, delayMs: 60_000 }) });
  const answer = fetch(receiver.url).catch(() => 'cut off');
  await eventually(() => receiver.requests.length === 1);
  await receiver.close();
  expect(await answer).toBe('cut off');
});

test('a spawned process is ready at its line, can be killed, and comes back', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'spawn-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const entry = join(directory, 'entry.ts');
  await writeFile(
    entry,
    `const name: string = process.env['NAME'] ?? ''; console.log('ready ' + name); setInterval(() => {}, 1000);`,
  );
  const child = await spawnNode(entry, { NAME: 'one' }, { readyLine: /^ready one$/ });
  const first = child.pid;
  await child.restart();
  expect(child.pid).not.toBe(first);
  await child.kill('SIGTERM');
  expect(await child.exited).toBe(null);
  expect(child.output()).toBe('ready one\nready one\n');
  await expect(spawnNode(join(directory, 'none.ts'), {}, { readyLine: /^ready$/ })).rejects.toThrow(
    'before it was ready',
  );
});
