import { DomainError } from '@app/contracts/errors';
import { newIdSuffix } from '@app/contracts/ids';
import { guardLeaks } from '@app/testing/leak-guard';
import { expect, test } from 'vitest';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { addToOutbox, outboxRow } from '../src/outbox.ts';
import { createRequester } from '../src/requester.ts';
import { runCommandOnce } from '../src/run-command-once.ts';
import { onRequest, type RequestHandler, serveRequests } from '../src/serve-requests.ts';
import { addOne, caller, counted, eachTestRequests, getDouble, logger, openTestDb } from './harness.ts';

guardLeaks();

const rig = eachTestRequests();

async function serve(answers: RequestHandler[]): Promise<NatsClient> {
  const link = rig.opened(await connectNats(rig.nats.login('catalog')));
  await serveRequests(link, { version: '0.1.0', description: 'test', handlers: answers, logger });
  return link;
}

const double = onRequest(getDouble, async ({ n }) => ({ doubled: n * 2 }));

test('an answer arrives with the callee’s values, and unparsed for an edge that passes it on', async () => {
  await serve([double]);
  expect(await rig.requester.request(getDouble, { n: 21 }, caller)).toEqual({ doubled: 42 });
  expect(Buffer.from(await rig.requester.requestBytes(getDouble, { n: 2 }, caller)).toString()).toBe('{"doubled":4}');
});

test('a refusal crosses the wire with its code, sentence and fields', async () => {
  const refusal = new DomainError('slug_taken', 'Another product has it.', [
    { field: 'slug', code: 'taken', message: 'is taken' },
  ]);
  await serve([onRequest(getDouble, () => Promise.reject(refusal))]);
  await expect(rig.requester.request(getDouble, { n: 1 }, caller)).rejects.toMatchObject({
    code: 'slug_taken',
    message: 'Another product has it.',
    errors: [{ field: 'slug', code: 'taken', message: 'is taken' }],
  });
});

test('an input of the wrong shape is refused by the callee, naming the field', async () => {
  await serve([double]);
  const wrong = { n: 'one', extra: true } as never;
  await expect(rig.requester.request(getDouble, wrong, caller)).rejects.toMatchObject({
    code: 'validation_failed',
    errors: expect.arrayContaining([
      expect.objectContaining({ field: 'n', code: 'wrong_type' }),
      expect.objectContaining({ field: 'extra', code: 'unknown_field' }),
    ]),
  });
});

test('a command whose connection is lost before it is sent is not sent, and refused as such', async () => {
  let requested = 0;
  await serve([
    onRequest(addOne, async () => {
      requested += 1;
      return { total: requested };
    }),
  ]);
  // The connection was there when the call began, and is gone at the end of the turn.
  const lost = { ...rig.caller, whenConnected: () => Promise.resolve(true), connected: () => false };
  const command = { ...caller, commandId: 'cmd-1' };
  await expect(createRequester(lost).request(addOne, {}, command)).rejects.toMatchObject({
    code: 'service_unavailable',
  });
  expect(requested).toBe(0);
});

test('an unforeseen fault shows the caller nothing of its inside', async () => {
  await serve([onRequest(getDouble, () => Promise.reject(new Error('select secret from table')))]);
  await expect(rig.requester.request(getDouble, { n: 1 }, caller)).rejects.toMatchObject({
    code: 'internal',
    message: '',
  });
});

test('a service that nobody subscribed for is refused at once, and so it is when nats-server itself is down', async () => {
  const refused = async (): Promise<void> => {
    // Longer than a test may take: what is refused sooner is refused for another reason.
    const waiting = { timeoutMs: 600_000, repeatAfterMs: 600_000 };
    const { requester } = rig;
    const read = requester.request({ ...getDouble, ...waiting }, { n: 1 }, caller);
    await expect(read).rejects.toMatchObject({ code: 'service_unavailable' });
    const command = { ...caller, commandId: newIdSuffix(Date.now()) };
    const commanded = requester.request({ ...addOne, ...waiting }, {}, command);
    await expect(commanded).rejects.toMatchObject({ code: 'service_unavailable' });
  };
  await refused();
  await rig.nats.kill();
  await refused();
  await rig.nats.start();
});

test('a command that is under way while nats-server dies and comes back takes effect once, and is answered', async () => {
  const db = await openTestDb();
  rig.opened(db);
  await db.database.pool.query('create table totals (n int not null); insert into totals values (0)');
  let attempts = 0;
  const add = onRequest(addOne, async (_input, context) => {
    attempts += 1;
    const result = await runCommandOnce(db.database.fork(), context.commandId, async (tx) => {
      const [row] = await tx.execute<{ n: number }[]>('update totals set n = n + 1 returning n');
      return { total: row?.n ?? -1 };
    });
    if (attempts === 1) {
      // After the commit, before the answer.
      await rig.nats.kill();
      await rig.nats.start();
    }
    return result;
  });
  await serve([add]);
  const context = { ...caller, commandId: newIdSuffix(Date.now()) };
  expect(await rig.requester.request(addOne, {}, context)).toEqual({ total: 1 });
  const { rows } = await db.database.pool.query<{ n: number }>('select n from totals');
  expect(rows).toEqual([{ n: 1 }]);
});

test('a command that failed leaves nothing behind and may be sent again', async () => {
  const db = await openTestDb();
  rig.opened(db);
  const commandId = newIdSuffix(Date.now());
  const attempt = (work: () => Promise<{ done: boolean }>) => runCommandOnce(db.database.fork(), commandId, work);
  await expect(attempt(() => Promise.reject(new Error('not now')))).rejects.toThrow('not now');
  expect(await attempt(async () => ({ done: true }))).toEqual({ done: true });
  expect(await attempt(async () => ({ done: false }))).toEqual({ done: true });
});

test('a command that may have taken effect is not taken for refused because a later attempt finds the service busy', async () => {
  let attempts = 0;
  const add = onRequest(addOne, async () => {
    attempts += 1;
    if (attempts === 1) {
      await rig.nats.kill();
      await rig.nats.start();
    }
    if (attempts <= 2) throw new DomainError('service_unavailable', 'A neighbour is down.');
    return { total: 1 };
  });
  await serve([add]);
  expect(await rig.requester.request(addOne, {}, { ...caller, commandId: newIdSuffix(Date.now()) })).toEqual({
    total: 1,
  });
  expect(attempts).toBeGreaterThanOrEqual(3);
});

test('a database that cannot be reached makes a read and a command unavailable, not an internal fault', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  await serve([onRequest(getDouble, () => Promise.reject(refused)), onRequest(addOne, () => Promise.reject(refused))]);
  await expect(rig.requester.request(getDouble, { n: 1 }, caller)).rejects.toMatchObject({
    code: 'service_unavailable',
  });
  const command = { ...caller, commandId: newIdSuffix(Date.now()) };
  await expect(rig.requester.request(addOne, {}, command)).rejects.toMatchObject({ code: 'service_unavailable' });
});

test('a statement that found no room on the disk took no effect: its command is refused at once, and says why', async () => {
  const full = Object.assign(new Error('could not extend file'), { code: '53100' });
  let attempts = 0;
  await serve([
    onRequest(addOne, async () => {
      attempts += 1;
      throw full;
    }),
  ]);
  const command = { ...caller, commandId: newIdSuffix(Date.now()) };
  const refusal = { code: 'service_unavailable', message: expect.stringContaining('disk') };
  await expect(rig.requester.request(addOne, {}, command)).rejects.toMatchObject(refusal);
  expect(attempts).toBe(1);
});

test('a command whose commit is in doubt is sent again until its outcome is known', async () => {
  const db = await openTestDb();
  rig.opened(db);
  let attempts = 0;
  const add = onRequest(addOne, async (_input, context) => {
    attempts += 1;
    return await runCommandOnce(db.database.fork(), context.commandId, async (tx) => {
      if (attempts === 1) await tx.execute('select pg_terminate_backend(pg_backend_pid())');
      return { total: attempts };
    });
  });
  await serve([add]);
  const command = { ...caller, commandId: newIdSuffix(Date.now()) };
  expect(await rig.requester.request(addOne, {}, command)).toEqual({ total: 2 });
});

test('closing waits for the requests under way', async () => {
  const link = rig.opened(await connectNats(rig.nats.login('catalog')));
  let begun: () => void = () => undefined;
  const beginning = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let finish: () => void = () => undefined;
  const slow = onRequest(getDouble, async ({ n }) => {
    begun();
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return { doubled: n * 2 };
  });
  const served = await serveRequests(link, { version: '0.1.0', description: 'test', handlers: [slow], logger });
  const requested = rig.requester.request(getDouble, { n: 4 }, caller);
  await beginning;
  const closed = served.close();
  finish();
  await closed;
  await link.close();
  expect(await requested).toEqual({ doubled: 8 });
});

test('a megabyte of payload is written as a parameter, not into the text of the statement', async () => {
  const db = await openTestDb();
  rig.opened(db);
  const text = '\u0001'.repeat(1_000_000);
  await runCommandOnce(db.database.fork(), newIdSuffix(Date.now()), async (tx) => {
    const source = { accountId: 'acc_1', requestId: null, nowMs: Date.now() };
    await addToOutbox(tx, [outboxRow(counted, { n: 1, text } as never, source)]);
    return { done: true };
  });
  const { rows } = await db.database.pool.query<{ bytes: number }>('select octet_length(payload) as bytes from outbox');
  expect(rows[0]?.bytes).toBeGreaterThan(6_000_000);
});
