import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { spawnNode } from '../src/child-service.ts';
import { fakeClock } from '../src/fake-clock.ts';
import { startReceiver } from '../src/http-receiver.ts';
import { guardLeaks } from '../src/leak-guard.ts';

guardLeaks();

test('the fake clock keeps its time until it is moved', () => {
  const clock = fakeClock('2026-03-01T00:00:00Z');
  clock.advance(86_400_000);
  expect(clock.now().toISOString()).toBe('2026-03-02T00:00:00.000Z');
  clock.set('2027-01-01T00:00:00Z');
  expect(clock.nowMs()).toBe(Date.UTC(2027, 0, 1));
  expect(() => clock.set('yesterday')).toThrow('Not an instant');
});

test('the receiver keeps every request and answers as configured', async () => {
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
  await receiver.received(1);
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
