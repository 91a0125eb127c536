import { newId, newIdSuffix } from '@app/contracts/ids';
import { beforeEach, expect, test } from 'vitest';
import type { StartInput } from '../src/charging/new-attempt.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { NoProcessorError } from '../src/processors/processor-registry.ts';
import { lookUpAttempt } from '../src/reconciliation/lost-attempts.ts';
import { refundPayment } from '../src/refunds/refund-payment.ts';
import { copyDatabase } from './database-copy.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { actedAt } from './sellers-acts.ts';
import { openReplicas, replicas } from './set-up.ts';
import { readSubscription, subscribe } from './subscriptions-of-tests.ts';

openReplicas();

let account: string;
beforeEach(() => {
  account = newAccount();
});

const start = ({ deps }: Replica, input: StartInput) =>
  startPayment(deps, { accountId: account, requestId: 'r' }, input);

const lookUp = ({ deps }: Replica, input: StartInput) =>
  lookUpAttempt(deps, { accountId: account, requestId: 'r' }, input);

/** The first attempt of a checkout, as it began now. */
const attempt = (fields: Partial<StartInput> = {}): StartInput => {
  const orderId = newId('order', replicas.clock.nowMs());
  return startInput({ orderId, begunAt: replicas.clock.now().toISOString(), ...fields });
};

/** The processor has the attempt, and billing's database went back to a time before it. */
async function loseAttempt(input: StartInput): Promise<Replica> {
  const copy = await copyDatabase(replicas.database);
  await start(replicas.start(), input);
  await copy.restore();
  replicas.clock.advance(2 * minuteMs);
  return replicas.start();
}

const chargedThere = async (): Promise<number[]> =>
  (await replicas.books(account)).flatMap(({ kind, status, amountCents }) =>
    kind === 'charge' && status === 'succeeded' ? [amountCents] : [],
  );
const completed = async () =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.payment.completed.v1')
    .map(({ data }) => [data.attemptNo, data.status]);
const noticed = async () =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.payment.noticed.v1')
    .map(({ data }) => String(data.summary));

test.each([
  ['was charged', 'sim_ok', { attemptNo: 1, status: 'succeeded' }, [[1, 'succeeded']]],
  [
    'waited for its bank and was confirmed since',
    'sim_requires_action',
    { attemptNo: 1, status: 'succeeded' },
    [[1, 'succeeded']],
  ],
  [
    'waits for its bank',
    'sim_action_ignored',
    { attemptNo: 2, status: 'succeeded' },
    [
      [1, 'declined'],
      [2, 'succeeded'],
    ],
  ],
  [
    'was declined',
    'sim_declined',
    { attemptNo: 2, status: 'succeeded' },
    [
      [1, 'declined'],
      [2, 'succeeded'],
    ],
  ],
] as const)(
  'a restored database looks up an attempt that it lacks before it charges the next one: it %s',
  async (_, paymentMethod, outcome, events) => {
    const input = attempt();
    const replica = await loseAttempt({ ...input, paymentMethod });
    expect(await start(replica, { ...input, attemptNo: 2 })).toMatchObject(outcome);
    expect(await chargedThere()).toEqual([4900]);
    expect(await completed()).toEqual(events);
    const { payments, charges } = await replicas.money(account, input.orderId);
    expect(payments.filter(({ step }) => step === 'main').map(({ attemptNo }) => attemptNo)).toEqual(
      events.map(([attemptNo]) => attemptNo),
    );
    expect(charges).toHaveLength(1);
  },
);

test('while an attempt that a restored database lacks cannot be looked up, the next one is not charged', async () => {
  const input = attempt();
  const replica = await loseAttempt(input);
  replica.fail('throws_before');
  expect(await start(replica, { ...input, attemptNo: 2 })).toMatchObject({ status: 'processing' });
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect(await start(replica, { ...input, attemptNo: 2 })).toMatchObject({ attemptNo: 1, status: 'succeeded' });
  expect(await chargedThere()).toEqual([4900]);
});

test('attempts that the processor never got leave no row, and cost the next one its look-ups', async () => {
  const replica = replicas.start();
  const input = attempt({ attemptNo: 3 });
  expect(await start(replica, input)).toMatchObject({ attemptNo: 3, status: 'succeeded' });
  expect(replica.processor.calls.map(({ method }) => method)).toEqual(['lookUp', 'lookUp', 'charge']);
  expect((await replicas.money(account, input.orderId)).payments).toHaveLength(1);
});

test('an attempt that is only to be looked up is recorded when the processor has it, and never sent', async () => {
  const input = attempt();
  const replica = await loseAttempt(input);
  expect(await lookUp(replica, input)).toMatchObject({ attemptNo: 1, status: 'succeeded', amountCents: 4900 });
  const other = {
    ...attempt(),
    begunAt: new Date(replicas.clock.nowMs() - 2 * minuteMs).toISOString(),
  };
  expect(await lookUp(replica, other)).toMatchObject({ status: 'declined', reason: 'try_again_later' });
  expect(await start(replica, other)).toMatchObject({ status: 'declined' });
  expect(replica.processor.calls.map(({ method }) => method)).toEqual(['lookUp', 'lookUp']);
  expect(await completed()).toEqual([
    [1, 'succeeded'],
    [1, 'declined'],
  ]);
});

test('a renewal that the list lacks, and with whose next sending nothing was done, is charged once', async () => {
  const { id, orderId } = await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  const copy = await copyDatabase(replicas.database);
  await replicas.start().renew(account);
  await copy.restore();
  const replica = replicas.start();
  replica.fail('not_done');
  expect(await replica.renew(account)).toMatchObject({ charged: 0 });
  for (let run = 0; run < 2; run += 1) {
    replicas.clock.advance(dayMs);
    await replica.renew(account);
  }
  expect(await chargedThere()).toEqual([1900]);
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'active', period: 2, failed_tries: 0 });
  const renewals = (await replicas.money(account, orderId)).payments.filter(({ step }) => step === 'renewal');
  expect(renewals).toMatchObject([{ attemptNo: 1, status: 'succeeded' }]);
});

test.each([
  ['was charged', 'sim_ok', [4900]],
  ['waits for its bank', 'sim_action_ignored', []],
] as const)(
  'an attempt under whose key another amount %s ends, is never charged, and its seller reads both sides',
  async (_, paymentMethod, charged) => {
    const input = attempt();
    const replica = await loseAttempt({ ...input, paymentMethod });
    const other = { ...input, amountCents: 6400 };
    expect(await start(replica, other)).toMatchObject({ status: 'processing' });
    replicas.clock.advance(minuteMs);
    await replica.round();
    expect(await start(replica, other)).toMatchObject({ attemptNo: 1, status: 'declined', reason: 'try_again_later' });
    for (const attemptNo of [2, 3]) {
      expect(await start(replica, { ...other, attemptNo })).toMatchObject({
        attemptNo,
        status: 'declined',
        reason: 'try_again_later',
      });
    }
    expect(await chargedThere()).toEqual(charged);
    expect(await completed()).toEqual([[1, 'declined']]);
    const [entry] = await replicas.books(account);
    expect(await noticed()).toEqual([expect.stringMatching(RegExp(`\\$64.00.*\\$49.00.*${entry?.reference}`))]);
    const { payments } = await replicas.money(account, input.orderId);
    expect(payments).toMatchObject([{ status: 'declined', declineReason: 'other_payment' }]);
  },
);

test('an attempt under whose key another amount was declined ends, and the next one is charged', async () => {
  const input = attempt();
  const replica = await loseAttempt({ ...input, paymentMethod: 'sim_declined' });
  const other = { ...input, amountCents: 6400 };
  await start(replica, other);
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect(await start(replica, { ...other, attemptNo: 2 })).toMatchObject({ attemptNo: 2, status: 'succeeded' });
  expect(await chargedThere()).toEqual([6400]);
  expect(await noticed()).toEqual([]);
});

test('an attempt that is found while an earlier one is open is not charged anew when that one ends at the same moment', async () => {
  const input = attempt({ attemptNo: 3 });
  const replica = await loseAttempt({ ...input, attemptNo: 2 });
  // Neither can be looked up: the first one is open now.
  replica.fail('throws_before', 'throws_before');
  expect(await start(replica, input)).toMatchObject({ attemptNo: 1, status: 'processing' });
  replicas.clock.advance(hourMs);
  const meanwhile = replicas.start(actedAt('lost-attempts-write', 'after', () => replica.round()));
  expect(await start(meanwhile, input)).toMatchObject({ attemptNo: 1, status: 'processing' });
  expect(await start(meanwhile, input)).toMatchObject({ attemptNo: 2, status: 'succeeded' });
  expect(await chargedThere()).toEqual([4900]);
  expect(await completed()).toEqual([
    [1, 'declined'],
    [2, 'succeeded'],
  ]);
});

test('a refund under whose key the processor gave back another amount ends, its seller reads both sides, and the rest can go back', async () => {
  const input = attempt();
  const replica = replicas.start();
  await start(replica, input);
  const [charge] = (await replicas.money(account, input.orderId)).charges;
  const refund = (commandId: string, body = {}) =>
    refundPayment(replica.deps, { accountId: account, requestId: 'r', commandId }, charge?.id ?? '', body);
  const [part, rest, last] = [1, 2, 3].map((n) => newIdSuffix(replicas.clock.nowMs() + n)) as [string, string, string];
  const copy = await copyDatabase(replicas.database);
  await refund(part, { amountCents: 1_000 });
  await refund(rest, { amountCents: 2_000 });
  await copy.restore();
  // The rest was less before.
  expect(await refund(rest)).toMatchObject({ status: 'processing' });
  replicas.clock.advance(minuteMs);
  await replica.round();
  await expect(refund(rest)).rejects.toMatchObject({
    code: 'refund_failed',
    message: expect.stringContaining('$20.00'),
  });
  expect(await noticed()).toEqual([expect.stringMatching(/\$49.00.*\$20.00 \(succeeded, reference sim_refund_\w+\)/)]);
  expect(await refund(last, { amountCents: 1_900 })).toMatchObject({ status: 'refunded', amountCents: 1_900 });
});

test('an attempt that was sent before a restore is not declined because the choice of a processor was lost: it is looked up once the seller chooses again', async () => {
  const input = attempt();
  const replica = await loseAttempt(input);
  const { deps } = replicas.start();
  const chosen = () => Promise.reject(new NoProcessorError());
  const named = (name: string) => (name === 'none' ? chosen() : deps.processors.named(name, account, false));
  const without = { ...deps, processors: { ...deps.processors, chosen, named } };
  const caller = { accountId: account, requestId: 'r' };
  expect(await startPayment(without, caller, input)).toMatchObject({ status: 'processing' });
  replicas.clock.advance(hourMs);
  await replica.round();
  expect(await start(replica, { ...input, attemptNo: 2 })).toMatchObject({ attemptNo: 1, status: 'succeeded' });
  expect(await chargedThere()).toEqual([4900]);
  const { charges } = await replicas.money(account, input.orderId);
  expect(charges).toMatchObject([{ processor: 'simulated' }]);
  const told = (await replicas.events(account)).filter(({ subject }) => subject.includes('payment.completed'));
  expect(told.map(({ data }) => data.processor)).toEqual(['simulated']);
});
