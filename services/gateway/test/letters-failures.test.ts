import { freePort } from '@app/embedded/ports';
import { spawnNode } from '@app/testing/child-service';
import { guardLeaks } from '@app/testing/leak-guard';
import { announced } from '@app/testing/points';
import { startSmtpServer } from '@app/testing/smtp-server';
import { query } from '@app/testing/sql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { letterAttempted } from '../src/points/points.ts';
import { createHarness, type Harness, signUp } from './harness.ts';
import { send } from './http.ts';

guardLeaks();

const minuteMs = 60_000;
let harness: Harness;
let server: Awaited<ReturnType<typeof startSmtpServer>>;
let mail: Record<string, string>;
beforeEach(async () => {
  harness = await createHarness();
  server = await startSmtpServer();
  mail = { SMTP_URL: server.url, EMAIL_FROM: 'mail@platform.example' };
});
afterEach(async () => {
  await harness.close();
  await server.close();
});

const lettersTo = (email: string) =>
  query<{ attempts: number; waits: boolean }>(
    harness.database.url,
    `select l.attempts, l.sealed is not null as waits from letters as l join users as u on u.id = l.user_id
     where u.email = $1`,
    [email],
  );

test('a letter that the mail server does not take now goes out later', async () => {
  server.behaviour.message = '450 not now';
  const { url } = await harness.start(mail);
  const { email } = await signUp(url);
  await announced(letterAttempted, ({ to, outcome }) => to === email && outcome === 'deferred');
  expect(await lettersTo(email)).toEqual([{ attempts: 1, waits: true }]);
  delete server.behaviour.message;
  harness.clock.advance(5 * minuteMs);
  // Wakes the loop.
  await signUp(url);
  await announced(letterAttempted, ({ to, outcome }) => to === email && outcome === 'taken');
  expect(server.received.filter(({ to }) => to === email)).toHaveLength(1);
});

test('a letter whose gateway is killed between its commit and the submission goes out once another one runs', async () => {
  const reached = Promise.withResolvers<void>();
  server.behaviour.RCPT = () => {
    reached.resolve();
    return 'silent';
  };
  const port = await freePort();
  const env = { ...harness.env, ...mail, PORT: String(port), LOG_LEVEL: 'warn' };
  const killed = await spawnNode('services/gateway/src/main.ts', env, { readyLine: /^gateway ready/ });
  const url = `http://127.0.0.1:${port}`;
  const { email, session } = await signUp(url);
  await reached.promise;
  const body = { password: 'a long password', email: 'moved@example.com' };
  expect((await send(url, 'POST', '/api/auth/email', { session, body })).status).toBe(200);
  await killed.kill();
  expect((await lettersTo(email)).map(({ waits }) => waits)).toEqual([true, true, true]);
  delete server.behaviour.RCPT;
  harness.clock.advance(4 * minuteMs);
  await harness.start(mail);
  await announced(letterAttempted, ({ to, outcome }) => to === email && outcome === 'taken', 2);
  await announced(letterAttempted, ({ to, outcome }) => to === body.email && outcome === 'taken');
  expect((await lettersTo(email)).map(({ waits }) => waits)).toEqual([false, false, false]);
  expect(server.received.map(({ to }) => to).toSorted()).toEqual([email, email, body.email].toSorted());
});
