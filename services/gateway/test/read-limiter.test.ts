import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { ReadLimiter, type ReadLimits } from '../src/limits/read-limiter.ts';

const limits: ReadLimits = {
  running: 2,
  longBytes: 150,
  runningLong: 1,
  readerBytes: 100,
  totalBytes: 300,
  waiting: 3,
  waitMs: 100,
  slowAfterMs: 60_000,
};
const response = () => new ServerResponse(new IncomingMessage(new Socket()));
const rejected = expect.objectContaining({ code: 'service_unavailable' });

test('two reads of an operation run at once, the next when a response is read, and none of another operation waits', async () => {
  const limiter = new ReadLimiter(limits);
  const first = response();
  expect(limiter.begin('acc', 'list', first)).not.toBeInstanceOf(Promise);
  expect(limiter.begin('acc', 'list', response())).not.toBeInstanceOf(Promise);
  const third = limiter.begin('acc', 'list', response());
  expect(third).toBeInstanceOf(Promise);
  expect(limiter.begin('acc', 'get', response())).not.toBeInstanceOf(Promise);
  expect(limiter.begin('other', 'list', response())).not.toBeInstanceOf(Promise);
  first.emit('close');
  await third;
});

test('an account with too many unread bytes waits, others do not', async () => {
  const limiter = new ReadLimiter(limits);
  const full = response();
  const read = await limiter.begin('acc', 'list', full);
  read.hold(100);
  const next = limiter.begin('acc', 'get', response());
  expect(next).toBeInstanceOf(Promise);
  expect(limiter.begin('other', 'get', response())).not.toBeInstanceOf(Promise);
  full.emit('close');
  await next;
});

test('a read that waits too long is rejected, at once when too many wait', async () => {
  const limiter = new ReadLimiter(limits);
  (await limiter.begin('acc', 'list', response())).hold(100);
  const waiting = [1, 2, 3].map(() => Promise.resolve(limiter.begin('acc', 'list', response())));
  expect(() => limiter.begin('acc', 'list', response())).toThrow(rejected);
  for (const { status, ...rest } of await Promise.allSettled(waiting)) {
    expect([status, rest]).toEqual(['rejected', { reason: rejected }]);
  }
});

test('a client that leaves while it waits takes no capacity', async () => {
  const limiter = new ReadLimiter(limits);
  const held = [response(), response()];
  for (const res of held) await limiter.begin('acc', 'list', res);
  const leaving = response();
  const left = Promise.resolve(limiter.begin('acc', 'list', leaving));
  leaving.emit('close');
  await expect(left).rejects.toEqual(rejected);
  const next = limiter.begin('acc', 'list', response());
  held[0]?.emit('close');
  await next;
});

test('a response that does not fit into the process’s memory is dropped', async () => {
  const limiter = new ReadLimiter(limits);
  for (const account of ['a', 'b', 'c']) (await limiter.begin(account, 'list', response())).hold(99);
  const read = await limiter.begin('d', 'list', response());
  expect(() => read.hold(4)).toThrow(rejected);
});

test('while a read waits, the client that has been slow the longest is closed', async () => {
  const limiter = new ReadLimiter({ ...limits, slowAfterMs: 0, waitMs: 60_000 });
  const slow = [response(), response()];
  for (const res of slow) (await limiter.begin('acc', 'list', res)).hold(60);
  const next = Promise.resolve(limiter.begin('acc', 'list', response()));
  await next;
  expect(slow.map(({ destroyed }) => destroyed)).toEqual([true, false]);
});

test('clients that have left before their read begins take no capacity', async () => {
  const limiter = new ReadLimiter(limits);
  const server = createServer().listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    for (let i = 0; i < limits.running; i++) {
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
      client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
      const [, gone] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
      client.destroy();
      await once(gone, 'close');
      expect(() => limiter.begin('acc', 'list', gone)).toThrow(rejected);
    }
    expect(limiter.begin('acc', 'list', response())).not.toBeInstanceOf(Promise);
  } finally {
    server.close();
  }
});

test('fewer reads with long responses run at once, until a response is short again', async () => {
  const limiter = new ReadLimiter({ ...limits, readerBytes: 10_000, totalBytes: 10_000 });
  (await limiter.begin('acc', 'list', response())).hold(151);
  const one = await limiter.begin('acc', 'list', response());
  const next = limiter.begin('acc', 'list', response());
  expect(next).toBeInstanceOf(Promise);
  expect(limiter.begin('acc', 'get', response())).not.toBeInstanceOf(Promise);
  one.hold(150);
  await next;
  expect(limiter.begin('acc', 'list', response())).not.toBeInstanceOf(Promise);
});
