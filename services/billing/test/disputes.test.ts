import type { EventData } from '@app/contracts/define';
import type { disputeRecorded } from '@app/contracts/disputes';
import { newIdSuffix } from '@app/contracts/ids';
import { isDeath } from '@app/testing/dying-process';
import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import { listOrderDisputes } from '../src/disputes/dispute-rows.ts';
import { recordDispute } from '../src/disputes/record-dispute.ts';
import type { ProcessorDispute } from '../src/processors/port.ts';
import { listRefundable } from '../src/refunds/list-refundable.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { refundPayment } from '../src/refunds/refund-payment.ts';
import { reopenCharges } from '../src/refunds/reopen-charges.ts';
import { type MoneyAct, openDisputedOrder, priceCents } from './disputes-model.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, newAccount, type Replica } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';
import { readSubscription, subscribe } from './subscriptions-of-tests.ts';

openReplicas();

const who = (accountId: string) => ({ accountId, requestId: 'r' });
const command = (accountId: string) => ({ ...who(accountId), commandId: newIdSuffix(replicas.clock.nowMs()) });

type Data = Pick<EventData<typeof disputeRecorded>, 'end' | 'givenBack' | 'takenBack'>;
/** What was published of disputes: `opened`, or the outcome, with what was given back, or taken back. */
const published = async (account: string) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.dispute.recorded.v1')
    .map(({ data }) => {
      const { end, givenBack, takenBack } = data as Data;
      return `${end?.outcome ?? 'opened'} ${(givenBack?.amountCents ?? 0) - (takenBack?.amountCents ?? 0)}`;
    });
const notices = async (account: string) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.payment.noticed.v1')
    .map(({ data }) => String(data.summary));
const ended = async (account: string) =>
  (await replicas.events(account)).filter(({ subject }) => subject === 'evt.billing.subscription.canceled.v1');

async function paid(by: Replica, fields: Parameters<typeof startInput>[0] = {}) {
  const account = newAccount();
  const input = startInput(fields);
  await startPayment(by.deps, who(account), input);
  const money = () => replicas.money(account, input.orderId);
  const [charge] = (await money()).charges;
  return { account, orderId: input.orderId, money, paymentId: charge?.id ?? '', reference: charge?.reference ?? '' };
}
type Paid = Awaited<ReturnType<typeof paid>>;

const dueBy = new Date('2026-03-29T23:59:59.000Z');
const disputeOf = (
  { paymentId, orderId, reference }: Pick<Paid, 'paymentId' | 'orderId' | 'reference'>,
  status: ProcessorDispute['status'],
  fields: Partial<ProcessorDispute> = {},
): ProcessorDispute => ({
  ...{ reference: 'du_1', paymentId, orderId, about: reference, amountCents: 4_900, currency: 'usd' },
  ...{ reason: 'fraudulent', status, refundable: status.startsWith('warning'), evidenceDueBy: dueBy },
  ...{ openedAt: new Date('2026-03-15T12:00:00.000Z'), takenCents: 0, ...fields },
});
const record = (by: Replica, account: string, read: ProcessorDispute) =>
  recordDispute(by.deps, { accountId: account, processor: 'simulated', test: false }, read);
const refused = { code: 'payment_disputed', message: expect.stringContaining('disputes this payment (') };

test('without webhooks daily runs find it, follow it to its end, and say so once, with amount, reason and last day', async () => {
  const [a, b] = [replicas.start(), replicas.start()];
  const sold = await paid(a, { paymentMethod: 'sim_disputed' });
  const { account, orderId, paymentId } = sold;
  await Promise.all([a.daily(account), b.daily(account)]);
  expect(await published(account)).toEqual(['opened 0']);
  const [notice] = await notices(account);
  expect(notice).toMatch(/disputes \$49\.00 of order ord_\w+\. Reason: product_not_received\..* by 2026-03-22/);
  const refund = refundPayment(a.deps, command(account), paymentId, undefined);
  await expect(refund).rejects.toMatchObject({ code: 'payment_disputed' });
  expect(await refundCharges(b.deps, who(account), orderId)).toMatchObject({
    ...{ status: 'failed', disputed: true, orderRefunded: false },
    refused: [{ paymentId, amountCents: 4_900, detail: expect.stringContaining('product_not_received') }],
  });
  // The processor has no request of it, and nothing goes on by itself.
  expect(a.processor.calls.filter(({ method }) => method === 'refund')).toEqual([]);
  expect(b.processor.calls.filter(({ method }) => method === 'refund')).toEqual([]);
  expect((await sold.money()).charges).toMatchObject([{ refundDueAt: null }]);
  expect(await listRefundable(a.deps.database, account, { orderId })).toMatchObject({
    charges: [{ paymentId, refundedCents: 0, disputed: true }],
  });
  replicas.clock.advance(7 * dayMs);
  await Promise.all([a.daily(account), b.daily(account)]);
  await b.daily(account);
  expect(await published(account)).toEqual(['opened 0', 'lost 4900']);
  const notified = await notices(account);
  expect(notified).toHaveLength(2);
  expect(notified[1]).toMatch(/\$49\.00 .*product_not_received.*by 2026-03-22.*is lost/);
  expect(await listOrderDisputes(a.deps.database, account, orderId, 100)).toMatchObject([
    { payment_id: paymentId, status: 'lost', outcome: 'lost', amount_cents: 4_900, closed_at: expect.any(String) },
  ]);
  expect((await sold.money()).charges).toMatchObject([{ refundedCents: 0, lostCents: 4_900 }]);
  // What was lost cannot be refunded, and the order is not refunded by it.
  await expect(refundPayment(a.deps, command(account), paymentId, undefined)).rejects.toMatchObject({
    code: 'payment_disputed',
    message: expect.stringContaining('was lost'),
  });
  expect(await refundCharges(a.deps, who(account), orderId)).toMatchObject({ status: 'failed', disputed: true });
  const refunds = (await replicas.events(account)).filter(({ subject }) => subject.includes('refunded'));
  expect(refunds).toEqual([]);
  expect(replicas.errors).toEqual([]);
});

test('the books of a day with a dispute have no orphan', async () => {
  const replica = replicas.start();
  const { account } = await paid(replica, { paymentMethod: 'sim_disputed' });
  await replica.daily(account);
  replicas.clock.advance(7 * dayMs);
  await replica.daily(account);
  const orphans = (await replicas.events(account)).filter(({ data }) => data.code === 'orphan');
  expect(orphans).toEqual([]);
});

test.each([
  ['closed first', ['lost', 'needs_response', 'lost'], ['opened 0', 'lost 4900']],
  ['opened twice, then closed twice', ['needs_response', 'needs_response', 'won', 'won'], ['opened 0', 'won 0']],
  ['an older reading late', ['needs_response', 'won', 'under_review', 'lost'], ['opened 0', 'won 0']],
  [
    'reversed, then read as lost late',
    ['needs_response', 'lost', 'won', 'lost', 'won'],
    ['opened 0', 'lost 4900', 'won -4900'],
  ],
  ['an inquiry that ends', ['warning_needs_response', 'warning_closed'], ['opened 0', 'warning_closed 0']],
  ['prevented', ['prevented', 'needs_response'], ['opened 0', 'prevented 0']],
] as const)('in whatever order it is read, each event comes once: %s', async (_, statuses, events) => {
  const [a, b] = [replicas.start(), replicas.start()];
  const sold = await paid(a);
  for (const status of statuses) {
    const read = disputeOf(sold, status);
    expect(await Promise.all([record(a, sold.account, read), record(b, sold.account, read)])).toEqual([true, true]);
  }
  expect(await published(sold.account)).toEqual(events);
  expect(await notices(sold.account)).toHaveLength(events.length);
});

test('read as open and as lost at once by many, it is lost once', async () => {
  const [a, b] = [replicas.start(), replicas.start()];
  const sold = await paid(a);
  const reads = Array.from({ length: 12 }, (_, n) => disputeOf(sold, n % 3 === 0 ? 'lost' : 'needs_response'));
  await Promise.all(reads.map((read, n) => record(n % 2 === 0 ? a : b, sold.account, read)));
  expect((await published(sold.account)).toSorted()).toEqual(['lost 4900', 'opened 0']);
  expect((await sold.money()).charges).toMatchObject([{ lostCents: 4_900 }]);
});

test('killed at any of its statements, it is recorded whole or not at all, and the next reading finishes it', async () => {
  const replica = replicas.start();
  for (let seam = 1, died = true; died; seam += 1) {
    const account = newAccount();
    const { id, orderId } = await subscribe(replicas, account, { paymentMethod: null });
    await startPayment(replica.deps, who(account), startInput({ orderId }));
    const { charges } = await replicas.money(account, orderId);
    const sold = { paymentId: charges[0]?.id ?? '', orderId, reference: charges[0]?.reference ?? '' };
    for (const [status, before] of [
      ['needs_response', 0],
      ['lost', 1],
    ] as const) {
      const dying = dyingAt(seam);
      const outcome = await record(replicas.start(dying), account, disputeOf(sold, status)).catch(
        (err: unknown) => err,
      );
      died = dying.dead;
      if (died) expect(isDeath(outcome), `seam ${seam}`).toBe(true);
      // All of it, or nothing.
      const events = (await published(account)).length;
      expect(await notices(account)).toHaveLength(events);
      expect([before, before + 1]).toContain(events);
      await record(replica, account, disputeOf(sold, status));
      expect(await published(account)).toHaveLength(before + 1);
    }
    expect(await published(account)).toEqual(['opened 0', 'lost 4900']);
    expect(await notices(account)).toHaveLength(2);
    expect((await replicas.money(account, orderId)).charges).toMatchObject([{ lostCents: 4_900 }]);
    expect(await readSubscription(replicas, id)).toMatchObject({ status: 'canceled' });
    expect(await ended(account)).toMatchObject([{ data: { reason: 'dispute', orderId } }]);
    if (!died) expect(seam).toBeGreaterThan(8);
  }
});

test('killed at any statement, a refund that fails under a lost dispute opens its charge whole or not at all', async () => {
  const replica = replicas.start();
  for (let seam = 1, died = true; died; seam += 1) {
    const sold = await paid(replica);
    await refundPayment(replica.deps, command(sold.account), sold.paymentId, undefined);
    await record(replica, sold.account, disputeOf(sold, 'lost'));
    const refund = (await sold.money()).payments.find(({ step }) => step === 'refund');
    if (refund === undefined) throw new Error('expected a refund');
    const failed = { ...refund, message: null };
    const dying = dyingAt(seam);
    const outcome = await reopenCharges(replicas.start(dying).deps, failed).catch((err: unknown) => err);
    died = dying.dead;
    if (died) expect(isDeath(outcome), `seam ${seam}`).toBe(true);
    await reopenCharges(replica.deps, failed);
    expect((await sold.money()).charges).toMatchObject([{ refundedCents: 0, lostCents: 4_900 }]);
    const failures = (await replicas.events(sold.account)).filter(({ data }) => data.failedAt !== undefined);
    expect(failures).toMatchObject([{ data: { lost: { disputeId: 'du_1', givenBack: { amountCents: 4_900 } } } }]);
    expect((await notices(sold.account)).at(-1)).toContain('the buyer has $49.00 of it by the dispute that was lost');
    if (!died) expect(seam).toBeGreaterThan(5);
  }
});

test('a charge that was refunded in part loses the disputed amount alone, and the rest stays refundable', async () => {
  const replica = replicas.start();
  const sold = await paid(replica);
  const { account, paymentId } = sold;
  await refundPayment(replica.deps, command(account), paymentId, { amountCents: 900 });
  await record(replica, account, disputeOf(sold, 'lost', { amountCents: 3_000 }));
  expect(await published(account)).toEqual(['opened 0', 'lost 3000']);
  expect((await sold.money()).charges).toMatchObject([{ refundedCents: 900, lostCents: 3_000 }]);
  const tooMuch = refundPayment(replica.deps, command(account), paymentId, { amountCents: 1_001 });
  await expect(tooMuch).rejects.toMatchObject({ code: 'validation_failed' });
  expect(await refundPayment(replica.deps, command(account), paymentId, undefined)).toMatchObject({
    amountCents: 1_000,
  });
  const whole = (await replicas.events(account)).filter(({ subject }) => subject === 'evt.billing.charges.refunded.v1');
  expect(whole.map(({ data }) => data.refundedCents)).toEqual([1_900]);
});

test('a refund without an outcome is waited for before a loss of its charge is recorded, and counts first', async () => {
  const replica = replicas.start();
  const sold = await paid(replica);
  const { account, paymentId } = sold;
  const lost = disputeOf(sold, 'lost');
  replica.fail('answer_lost');
  expect(await refundPayment(replica.deps, command(account), paymentId, { amountCents: 1_000 })).toMatchObject({
    status: 'processing',
  });
  expect(await record(replica, account, disputeOf(sold, 'needs_response'))).toBe(true);
  expect(await record(replica, account, lost)).toBe(false);
  expect(await published(account)).toEqual(['opened 0']);
  replicas.clock.advance(dayMs);
  await replica.round();
  expect(await record(replica, account, lost)).toBe(true);
  expect(await published(account)).toEqual(['opened 0', 'lost 3900']);
  expect((await sold.money()).charges).toMatchObject([{ refundedCents: 1_000, lostCents: 3_900 }]);
});

test('an inquiry keeps no refund back, a dispute does until it is won', async () => {
  const replica = replicas.start();
  const sold = await paid(replica);
  const { account, paymentId } = sold;
  const refund = (amountCents?: number) =>
    refundPayment(replica.deps, command(account), paymentId, amountCents === undefined ? undefined : { amountCents });
  await record(replica, account, disputeOf(sold, 'warning_needs_response'));
  expect(await refund(100)).toMatchObject({ status: 'refunded' });
  await record(replica, account, disputeOf(sold, 'needs_response'));
  await expect(refund(100)).rejects.toMatchObject(refused);
  expect((await notices(account)).at(-1)).toContain('has become a dispute');
  await record(replica, account, disputeOf(sold, 'won'));
  expect(await refund()).toMatchObject({ status: 'refunded', refundedCents: 4_900 });
  expect(await published(account)).toEqual(['opened 0', 'won 0']);
});

test('what the processor refuses as disputed, before billing knows of it, is refused with that reason', async () => {
  const replica = replicas.start();
  const { account, orderId, paymentId } = await paid(replica, { paymentMethod: 'sim_disputed' });
  const disputed = { code: 'payment_disputed', message: expect.stringContaining('disputes this payment') };
  await expect(refundPayment(replica.deps, command(account), paymentId, undefined)).rejects.toMatchObject(disputed);
  expect(await refundCharges(replica.deps, who(account), orderId)).toMatchObject({ status: 'failed', disputed: true });
});

test('a dispute of an unknown payment, or under the reference of another, is not recorded', async () => {
  const replica = replicas.start();
  const sold = await paid(replica);
  const other = await paid(replica);
  expect(await record(replica, sold.account, disputeOf({ ...sold, reference: 'pi_other' }, 'lost'))).toBe(false);
  expect(await record(replica, sold.account, disputeOf(other, 'lost'))).toBe(false);
  expect(await published(sold.account)).toEqual([]);
  expect((await other.money()).charges).toMatchObject([{ lostCents: 0 }]);
});

test('one that cannot be read keeps no other back, and the next run reads it', async () => {
  const account = newAccount();
  const readers = replicas.start({
    processor: (inner) => ({
      ...inner,
      readDispute: (reference, call) =>
        reference === 'du_a' ? Promise.reject(new Error('broken')) : inner.readDispute(reference, call),
    }),
  });
  const input = startInput({ paymentMethod: 'sim_disputed' });
  await startPayment(readers.deps, who(account), input);
  await readers.daily(account);
  const { charges } = await replicas.money(account, input.orderId);
  const sold = { paymentId: charges[0]?.id ?? '', orderId: input.orderId, reference: charges[0]?.reference ?? '' };
  await record(readers, account, disputeOf(sold, 'needs_response', { reference: 'du_a' }));
  replicas.clock.advance(7 * dayMs);
  await readers.daily(account);
  const [first, second] = await listOrderDisputes(readers.deps.database, account, input.orderId, 100);
  expect([first?.status, second?.status].toSorted()).toEqual(['lost', 'needs_response']);
});

const which = fc.nat(3);
const cents = fc.constantFrom(priceCents, 900, 1_000, 3_000, 4_000);
const moneyAct: fc.Arbitrary<MoneyAct> = fc.oneof(
  fc.record({ kind: fc.constantFrom('refund', 'dispute', 'inquiry'), cents }),
  fc.record({ kind: fc.constant('refund fails'), which }),
  fc.record({
    ...{ kind: fc.constant('dispute goes on'), which, keptCents: fc.constantFrom(0, 900, priceCents) },
    status: fc.constantFrom('under_review', 'won', 'lost', 'lost', 'prevented', 'warning_closed'),
  }),
  fc.record({ kind: fc.constantFrom('read late', 'bank reverses'), which }),
);

const ends = (status: string, keptCents = 0): MoneyAct => ({ kind: 'dispute goes on', which: 0, status, keptCents });
const fails: MoneyAct = { kind: 'refund fails', which: 0 };
const reversed: MoneyAct = { kind: 'bank reverses', which: 0 };
/** Someone who means harm: a refund that hides a loss and fails, a second dispute, and what is lost by another name. */
const moneyHistories: [MoneyAct[]][] = [
  [[{ kind: 'refund', cents: priceCents }, { kind: 'dispute', cents: priceCents }, ends('lost'), fails]],
  [
    [
      { kind: 'refund', cents: 900 },
      { kind: 'dispute', cents: 4_000 },
      ends('lost'),
      fails,
      { kind: 'refund', cents: 900 },
    ],
  ],
  [[{ kind: 'refund', cents: 1_000 }, { kind: 'dispute', cents: priceCents }, fails, ends('lost')]],
  [[{ kind: 'dispute', cents: 3_000 }, ends('lost'), { kind: 'dispute', cents: 3_000 }, ends('lost')]],
  [[{ kind: 'dispute', cents: priceCents }, ends('won'), { kind: 'refund', cents: priceCents }, fails]],
  [[{ kind: 'refund', cents: 900 }, { kind: 'dispute', cents: 4_000 }, ends('prevented', 4_000), fails]],
  [[{ kind: 'inquiry', cents: priceCents }, { kind: 'refund', cents: priceCents }, ends('warning_closed'), fails]],
  [
    [
      { kind: 'dispute', cents: 3_000 },
      ends('lost'),
      { kind: 'dispute', cents: 3_000 },
      ends('lost'),
      reversed,
      reversed,
    ],
  ],
  [[{ kind: 'refund', cents: 900 }, { kind: 'dispute', cents: 4_900 }, ends('lost'), fails, reversed]],
  [[{ kind: 'dispute', cents: priceCents }, ends('lost'), reversed, { kind: 'refund', cents: priceCents }, fails]],
];

test('whatever refunds, failures and disputes come in whatever order, what counts as given back is what Stripe’s books say', async () => {
  const both = [replicas.start(), replicas.start()] as const;
  await fc.assert(
    fc.asyncProperty(fc.array(moneyAct, { minLength: 2, maxLength: 10 }), async (acts) => {
      const order = await openDisputedOrder(replicas, both);
      for (const act of acts) {
        await order.act(act);
        await order.expectEqual();
      }
    }),
    { ...randomRuns(20, 1_000), examples: moneyHistories },
  );
  expect(replicas.errors).toEqual([]);
});
