import { isDeath } from '@app/testing/dying-process';
import { expect, test } from 'vitest';
import { continuePayment } from '../src/charging/continue-payment.ts';
import type { StartInput } from '../src/charging/new-attempt.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { dyingAt } from './dying-process.ts';
import { charged, completed } from './outcomes.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica, type Wrap } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';

/** Something happens between a replica and its database before one of its statements. */
const beforeStatement =
  (name: string, act: () => Promise<void>): NonNullable<Wrap['database']> =>
  (database) => {
    const query = async (config: { name?: string }) => {
      if (config.name === name) await act();
      return await database.pool.query(config as never);
    };
    return { ...database, pool: Object.assign(Object.create(database.pool), { query }) };
  };

/** Guarantee: what got lost on its way to the processor is charged once while its buyer waits, and not at all when they have left. */
openReplicas();

const caller = (accountId: string) => ({ accountId, requestId: 'r' });
const start = (replica: Replica, accountId: string, input: StartInput) =>
  startPayment(replica.deps, caller(accountId), input);

test('a first payment that the processor never got is declined once its buyer has left, and only the buyer sends it again', async () => {
  const account = newAccount();
  const replica = replicas.start({ deadlineMs: 8_000 });
  replica.fail('throws_before');
  const input = startInput();
  expect(await start(replica, account, input)).toMatchObject({ status: 'processing', attemptNo: 1 });
  replicas.clock.advance(29_999);
  await replica.round();
  // A copy may be on its way still.
  expect(await start(replica, account, { ...input, attemptNo: 2 })).toMatchObject({
    status: 'processing',
    attemptNo: 1,
  });
  replicas.clock.advance(1);
  await replica.round();
  const goOn = () => continuePayment(replica.deps, caller(account), input.orderId);
  expect(await goOn()).toMatchObject({ status: 'declined', attemptNo: 1, reason: 'try_again_later' });
  for (const waitMs of [minuteMs, 5 * minuteMs, hourMs, dayMs]) {
    replicas.clock.advance(waitMs);
    await replica.round();
    await replica.daily(account);
  }
  const calls = replica.processor.calls.map(({ method }) => method).filter((method) => method !== 'list');
  expect(calls).toEqual(['charge', 'lookUp']);
  expect(await completed(account)).toEqual([[1, 'declined', 'try_again_later']]);
  expect(await start(replica, account, { ...input, attemptNo: 2 })).toMatchObject({
    status: 'succeeded',
    attemptNo: 2,
  });
  expect(await charged(account)).toHaveLength(1);
});

test('a process that paused between the row and the call does not send what may have been declined meanwhile: its buyer does', async () => {
  const account = newAccount();
  const replica = replicas.start({
    deadlineMs: 8_000,
    database: (database) => {
      const query = async (config: { name?: string }) => {
        const result = await database.pool.query(config as never);
        if (config.name === 'payments-start') replicas.clock.advance(8_000);
        return result;
      };
      return { ...database, pool: Object.assign(Object.create(database.pool), { query }) };
    },
  });
  const input = startInput();
  expect(await start(replica, account, input)).toMatchObject({ status: 'processing', attemptNo: 1 });
  expect(replica.processor.calls).toEqual([]);
  replicas.clock.advance(2_000);
  const goOn = () => continuePayment(replica.deps, caller(account), input.orderId);
  expect(await goOn()).toMatchObject({ status: 'succeeded', attemptNo: 1 });
  expect(await completed(account)).toEqual([[1, 'succeeded', null]]);
});

test('a payment that got lost with its process is sent again under its key when its buyer asks, once for all who ask at that moment', async () => {
  const account = newAccount();
  const killed = replicas.start(dyingAt(3));
  const input = startInput();
  await expect(start(killed, account, input)).rejects.toSatisfy(isDeath);
  const asked = [replicas.start({ deadlineMs: 8_000 }), replicas.start({ deadlineMs: 8_000 })];
  const goOn = () => Promise.all(asked.map(({ deps }) => continuePayment(deps, caller(account), input.orderId)));
  replicas.clock.advance(9_999);
  for (const outcome of await goOn()) expect(outcome).toMatchObject({ status: 'processing' });
  expect(asked.flatMap(({ processor }) => processor.calls)).toEqual([]);
  replicas.clock.advance(1);
  const [outcomes, { payments }] = [await goOn(), await replicas.money(account, input.orderId)];
  expect(outcomes.map(({ status }) => status)).toContain('succeeded');
  expect(payments).toMatchObject([{ attemptNo: 1, status: 'succeeded', sentAt: replicas.clock.now() }]);
  const calls = asked.flatMap(({ processor }) => processor.calls.map(({ method }) => method));
  expect(calls.filter((method) => method === 'charge')).toHaveLength(1);
  for (const outcome of await goOn()) expect(outcome).toMatchObject({ status: 'succeeded', attemptNo: 1 });
  expect(await charged(account)).toHaveLength(1);
  expect(await completed(account)).toEqual([[1, 'succeeded', null]]);
});

test('a copy that arrives after the payment was sent again charges nothing more', async () => {
  const account = newAccount();
  const replica = replicas.start();
  replica.fail('late');
  const input = startInput();
  expect(await start(replica, account, input)).toMatchObject({ status: 'processing' });
  replicas.clock.advance(3_000);
  const goOn = () => continuePayment(replica.deps, caller(account), input.orderId);
  expect(await goOn()).toMatchObject({ status: 'succeeded', attemptNo: 1 });
  await replica.processor.deliverLate();
  expect(await charged(account)).toHaveLength(1);
  expect(await completed(account)).toEqual([[1, 'succeeded', null]]);
});

test('killed at any seam while a payment is sent again, its buyer pays once, with this attempt or the next', async () => {
  const ends = new Set<number>();
  let seam = 1;
  for (let died = true; died; seam += 1) {
    const account = newAccount();
    const input = startInput();
    await expect(start(replicas.start(dyingAt(3)), account, input)).rejects.toSatisfy(isDeath);
    replicas.clock.advance(3_000);
    const dying = dyingAt(seam);
    await continuePayment(replicas.start(dying).deps, caller(account), input.orderId).catch((err: unknown) => {
      if (!isDeath(err)) throw err;
    });
    died = dying.dead;
    replicas.clock.advance(minuteMs);
    const replica = replicas.start();
    await replica.round();
    const first = await start(replica, account, input);
    const next = { ...input, attemptNo: 2 };
    const paid = first.status === 'declined' ? await start(replica, account, next) : first;
    expect([seam, paid.status]).toEqual([seam, 'succeeded']);
    ends.add(paid.attemptNo);
    expect(await charged(account)).toHaveLength(1);
  }
  expect(seam).toBeGreaterThan(20);
  expect(ends).toEqual(new Set([1, 2]));
});

test('the buyer of a payment that got lost with its process, and was away for half a minute, learns that it may be tried again', async () => {
  const account = newAccount();
  const killed = replicas.start(dyingAt(3));
  const input = startInput();
  await expect(start(killed, account, input)).rejects.toSatisfy(isDeath);
  const replica = replicas.start({ deadlineMs: 8_000 });
  replicas.clock.advance(30_000);
  const goOn = () => continuePayment(replica.deps, caller(account), input.orderId);
  expect(await goOn()).toMatchObject({ status: 'declined', attemptNo: 1, reason: 'try_again_later' });
  expect(replica.processor.calls.map(({ method }) => method)).toEqual(['lookUp']);
  expect(await completed(account)).toEqual([[1, 'declined', 'try_again_later']]);
});

test('a look-up that began before the payment was sent again does not decline it while it is under way', async () => {
  const account = newAccount();
  const input = startInput();
  await expect(start(replicas.start(dyingAt(3)), account, input)).rejects.toSatisfy(isDeath);
  const goOn = (replica: Replica) => continuePayment(replica.deps, caller(account), input.orderId);
  const [lookedUp, isSent, isAsked] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const late = replicas.start({
    deadlineMs: 8_000,
    processor: (inner) => ({
      ...inner,
      lookUp: async (request, call) => {
        const found = await inner.lookUp(request, call);
        lookedUp?.resolve();
        await isSent?.promise;
        return found;
      },
    }),
  });
  const sending = replicas.start({
    deadlineMs: 8_000,
    database: beforeStatement('payments-sent-again', async () => {
      replicas.clock.advance(1);
      void goOn(late).then(() => isAsked?.resolve(), isAsked?.reject);
      await lookedUp?.promise;
    }),
    processor: (inner) => ({
      ...inner,
      charge: async (request, call) => {
        isSent?.resolve();
        await isAsked?.promise;
        return await inner.charge(request, call);
      },
    }),
  });
  replicas.clock.advance(29_999);
  expect(await goOn(sending)).toMatchObject({ status: 'succeeded', attemptNo: 1 });
  expect(await completed(account)).toEqual([[1, 'succeeded', null]]);
});

test('a first sending that did nothing does not decline a payment that was sent again meanwhile', async () => {
  const account = newAccount();
  const input = startInput();
  const [isSent, isRecorded] = [0, 1].map(() => Promise.withResolvers<void>());
  // It pauses between the row and its call, almost for as long as it may.
  const paused = replicas.start({
    deadlineMs: 8_000,
    database: (database) => {
      const query = async (config: { name?: string }) => {
        const result = await database.pool.query(config as never);
        if (config.name === 'payments-start') replicas.clock.advance(7_999);
        return result;
      };
      return { ...database, pool: Object.assign(Object.create(database.pool), { query }) };
    },
    processor: (inner) => ({
      ...inner,
      charge: async () => {
        replicas.clock.advance(2_001);
        void goOn().then(ended.resolve, ended.reject);
        await isSent?.promise;
        return { status: 'not_done', why: 'no_connection', message: 'No connection was made.' };
      },
    }),
  });
  const sending = replicas.start({
    deadlineMs: 8_000,
    processor: (inner) => ({
      ...inner,
      charge: async (request, call) => {
        isSent?.resolve();
        await isRecorded?.promise;
        return await inner.charge(request, call);
      },
    }),
  });
  const ended = Promise.withResolvers<unknown>();
  const goOn = () => continuePayment(sending.deps, caller(account), input.orderId);
  expect(await start(paused, account, input)).toMatchObject({ status: 'processing', attemptNo: 1 });
  isRecorded?.resolve();
  expect(await ended.promise).toMatchObject({ status: 'succeeded', attemptNo: 1 });
  expect(await completed(account)).toEqual([[1, 'succeeded', null]]);
});
