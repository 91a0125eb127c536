import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { eventually } from '@app/testing/eventually';
import { expect, test } from 'vitest';
import { type AnswerLimits, AnswerRoom } from '../src/http/answer-room.ts';

const limits: AnswerLimits = {
  asked: 2,
  longBytes: 150,
  askedLong: 1,
  accountBytes: 100,
  totalBytes: 300,
  waiting: 3,
  waitMs: 600,
  patienceMs: 60_000,
};
const response = () => new ServerResponse(new IncomingMessage(new Socket()));
const refused = expect.objectContaining({ code: 'service_unavailable' });

test('two reads of an operation are asked at once, the next when one is taken, and none of another operation waits', async () => {
  const room = new AnswerRoom(limits);
  const first = response();
  expect(room.enter('acc', 'list', first)).not.toBeInstanceOf(Promise);
  expect(room.enter('acc', 'list', response())).not.toBeInstanceOf(Promise);
  const third = room.enter('acc', 'list', response());
  expect(third).toBeInstanceOf(Promise);
  expect(room.enter('acc', 'get', response())).not.toBeInstanceOf(Promise);
  expect(room.enter('other', 'list', response())).not.toBeInstanceOf(Promise);
  first.emit('close');
  await third;
});

test('an account with too much untaken waits, others do not', async () => {
  const room = new AnswerRoom(limits);
  const full = response();
  const place = await room.enter('acc', 'list', full);
  place.settle(100);
  const next = room.enter('acc', 'get', response());
  expect(next).toBeInstanceOf(Promise);
  expect(room.enter('other', 'get', response())).not.toBeInstanceOf(Promise);
  full.emit('close');
  await next;
});

test('who waits in vain is refused, at once when too many wait', async () => {
  const room = new AnswerRoom(limits);
  (await room.enter('acc', 'list', response())).settle(100);
  const waiting = [1, 2, 3].map(() => Promise.resolve(room.enter('acc', 'list', response())));
  expect(() => room.enter('acc', 'list', response())).toThrow(refused);
  for (const { status, ...rest } of await Promise.allSettled(waiting)) {
    expect([status, rest]).toEqual(['rejected', { reason: refused }]);
  }
});

test('a caller that leaves while it waits takes no place', async () => {
  const room = new AnswerRoom(limits);
  const held = [response(), response()];
  for (const res of held) await room.enter('acc', 'list', res);
  const leaving = response();
  const left = Promise.resolve(room.enter('acc', 'list', leaving));
  leaving.emit('close');
  await expect(left).rejects.toEqual(refused);
  const next = room.enter('acc', 'list', response());
  held[0]?.emit('close');
  await next;
});

test('an answer that finds no room in the process is not given', async () => {
  const room = new AnswerRoom(limits);
  for (const account of ['a', 'b', 'c']) (await room.enter(account, 'list', response())).settle(99);
  const place = await room.enter('d', 'list', response());
  expect(() => place.settle(4)).toThrow(refused);
});

test('while somebody waits, the answer that has waited longest goes with its connection', async () => {
  const room = new AnswerRoom({ ...limits, patienceMs: 0, waitMs: 60_000 });
  const slow = [response(), response()];
  for (const res of slow) (await room.enter('acc', 'list', res)).settle(60);
  const next = Promise.resolve(room.enter('acc', 'list', response()));
  await eventually(() => slow[0]?.destroyed === true);
  expect(slow[1]?.destroyed).toBe(false);
  await next;
});

test('callers that have left before they enter take no place', async () => {
  const room = new AnswerRoom(limits);
  const server = createServer().listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    for (let i = 0; i < limits.asked; i++) {
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
      client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
      const [, gone] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
      client.destroy();
      await once(gone, 'close');
      expect(() => room.enter('acc', 'list', gone)).toThrow(refused);
    }
    expect(room.enter('acc', 'list', response())).not.toBeInstanceOf(Promise);
  } finally {
    server.close();
  }
});

test('of reads whose answers are long fewer are asked at once, until one is short again', async () => {
  const room = new AnswerRoom({ ...limits, accountBytes: 10_000, totalBytes: 10_000 });
  (await room.enter('acc', 'list', response())).settle(151);
  const one = await room.enter('acc', 'list', response());
  const next = room.enter('acc', 'list', response());
  expect(next).toBeInstanceOf(Promise);
  expect(room.enter('acc', 'get', response())).not.toBeInstanceOf(Promise);
  one.settle(150);
  await next;
  expect(room.enter('acc', 'list', response())).not.toBeInstanceOf(Promise);
});
