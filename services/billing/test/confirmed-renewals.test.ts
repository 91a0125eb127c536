import type { EventData } from '@app/contracts/define';
import { newId, newIdSuffix } from '@app/contracts/ids';
import type { orderRefunded } from '@app/contracts/orders';
import { isDeath } from '@app/testing/dying-process';
import { guardLeaks } from '@app/testing/leak-guard';
import { volume } from '@app/testing/long';
import { describe, expect, test } from 'vitest';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { refundPayment } from '../src/refunds/refund-payment.ts';
import { cancelOfRefundedOrders } from '../src/subscriptions/cancel-refunded.ts';
import { getSubscription } from '../src/subscriptions/get-subscription.ts';
import { cancelSubscription, pauseSubscription, resumeSubscription } from '../src/subscriptions/subscriptions.ts';
import { copyDatabase } from './database-copy.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, hourMs, minuteMs } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { expectRenewedOnce } from './renewal-invariants.ts';
import { actedAt } from './sellers-acts.ts';
import { commandOf, openReplicasOf, replicas } from './set-up.ts';
import { beginPaidLife, type Life, readSubscription } from './subscriptions-of-tests.ts';
import { give, goOn, newest, pass, pastDue, renewals, requested, stories, waiting } from './waiting-renewals.ts';

/** Guarantee: a renewal that its buyer confirms at the bank is charged once, and one that they do not confirm is never charged. */
guardLeaks();

const nothingLost = { lost: new Map(), canceledAtEnd: 0, refundedThere: false };
const read = ({ account, id }: Life) => getSubscription(replicas, account, id);
const taken = async ({ account, orderId }: Life) =>
  (await replicas.books(account)).filter(
    (entry) => entry.orderId === orderId && entry.kind === 'charge' && entry.status === 'succeeded',
  );

async function expectCharged(life: Life, times: 0 | 1): Promise<void> {
  expect(await taken(life)).toHaveLength(times);
  await expectRenewedOnce(replicas, life.account, life, 1900, nothingLost);
  expect(replicas.errors).toEqual([]);
}

const refundEvent = async ({ account, orderId }: Life): Promise<void> => {
  const now = replicas.clock.now().toISOString();
  const data = { orderId, refundedAt: now } as EventData<typeof orderRefunded>;
  const about = { accountId: account, occurredAt: now, requestId: null, traceparent: undefined };
  await replicas.database.transaction((client) =>
    cancelOfRefundedOrders(client, [{ id: newId('event', 0), ...about, data }]),
  );
};
const cancel = (life: Life) => cancelSubscription(life.replica.deps, commandOf(life.account), life.id);

describe.each(['simulated', 'stripe'] as const)('%s', (processor) => {
  openReplicasOf(processor);

  test.runIf(processor === 'stripe')(
    'where the processor’s script shows the bank, buyers get its secret while it waits',
    async () => {
      const life = await pastDue();
      await give(life, 'pm_standin_later_script', { confirmsByScript: true, chargeNow: true });
      expect((await goOn(life)).renewalConfirmation).toEqual({
        url: null,
        clientSecret: expect.stringMatching(/^pi_/),
      });
      await replicas.outside.buyersDecide();
      expect(await goOn(life)).toMatchObject({ status: 'active', renewalConfirmation: null });
      await expectCharged(life, 1);
    },
  );

  test('a card that the bank always asks about is saved and charged, once its buyer has confirmed both', async () => {
    const life = await pastDue();
    expect(await give(life, 'sim_always_requires_action')).toMatchObject({
      payment_method: { status: 'requires_action', url: expect.any(String) },
    });
    await replicas.outside.buyersDecide();
    const saved = await goOn(life);
    expect(saved).toMatchObject({ status: 'past_due', renewal_under_way: true, payment_method: { status: 'saved' } });
    expect(URL.canParse(saved.renewalConfirmation?.url ?? '')).toBe(true);
    const [shown] = (await read(life)).payments;
    expect(shown).toMatchObject({ status: 'requires_action', next: expect.stringContaining('after an hour') });
    expect(JSON.stringify(shown)).not.toContain('http');
    expect(await taken(life)).toEqual([]);
    await replicas.outside.buyersDecide();
    const paid = { status: 'active', failed_tries: 0, renewal_under_way: false, renewalConfirmation: null };
    for (let turn = 0; turn < 2; turn += 1) expect(await goOn(life)).toMatchObject(paid);
    expect(await stories(life)).toEqual(['payment-failed', 'rebilled']);
    await life.replica.daily(life.account);
    await expectCharged(life, 1);
  });

  test('what its buyer does not confirm waits for an hour, keeps everything else out, and is an attempt like another', async () => {
    const life = await waiting('sim_renewal_action_ignored');
    const first = await goOn(life);
    expect(first.renewalConfirmation).toEqual({ url: expect.any(String) });
    for (const minutes of [1, 5, 24, 29]) {
      await pass(life, minutes * minuteMs);
      if (minutes === 24) await life.replica.daily(life.account);
    }
    expect(await goOn(life)).toMatchObject({ renewalConfirmation: first.renewalConfirmation });
    expect(await renewals(life)).toHaveLength(2);
    await pass(life, minuteMs);
    expect(await newest(life)).toMatchObject({
      ...{ status: 'declined', declineKind: 'soft', declineReason: 'authentication_required', releasing: false },
    });
    expect(await goOn(life)).toMatchObject({
      ...{ status: 'past_due', failed_tries: 1, next_charge_at: '2026-03-03T00:00:00.000Z' },
      ...{ renewal_under_way: false, renewalConfirmation: null, payment_method: { status: 'saved' } },
    });
    expect(await stories(life)).toEqual(['payment-failed', 'payment-failed']);
    await expectCharged(life, 0);
  });

  test('what its buyer had confirmed before that is recorded as paid', async () => {
    const life = await waiting('sim_renewal_requires_action');
    await replicas.outside.buyersDecide();
    await cancel(life);
    await life.replica.round();
    expect(await newest(life)).toMatchObject({ status: 'succeeded' });
    expect(await stories(life)).toEqual(['payment-failed', 'canceled', 'rebilled']);
    await expectCharged(life, 1);
  });

  test.each([
    ['does not confirm', 'sim_renewal_action_ignored', { status: 'past_due', times: 0 }],
    ['confirms', 'sim_renewal_requires_action', { status: 'active', times: 1 }],
  ])('a restored database records what waits and charges nothing beside it: its buyer %s', async (_, card, ends) => {
    const life = await pastDue();
    await life.replica.daily(life.account);
    const copy = await copyDatabase(replicas.database);
    await give(life, card);
    await copy.restore();
    expect(await renewals(life)).toHaveLength(1);
    const restored = { ...life, replica: replicas.start() };
    replicas.clock.set('2026-03-03T12:00:00.000Z');
    await replicas.outside.buyersDecide();
    await restored.replica.daily(life.account);
    expect((await newest(life))?.attemptNo).toBe(2);
    await pass(restored, dayMs, 2);
    await restored.replica.daily(life.account);
    expect((await read(life)).status).toBe(ends.status);
    expect(await taken(life)).toHaveLength(ends.times);
    expect(replicas.errors).toEqual([]);
  });

  test.each(['confirmed', 'abandoned', 'canceled'] as const)(
    'killed at any seam while a renewal is charged, waits and is %s: it is charged once at most, and nothing stays open',
    async (kind) => {
      let met = 0;
      for (let seam = 1; ; seam += volume(31, 1)) {
        const life = await pastDue();
        const dying = dyingAt(seam);
        const commandId = newIdSuffix(replicas.clock.nowMs());
        await live({ ...life, replica: replicas.start(dying) }, kind, commandId).catch((err: unknown) => {
          if (!isDeath(err)) throw err;
        });
        await live(life, kind, commandId);
        for (const waitMs of [hourMs, minuteMs, 5 * minuteMs, hourMs]) await pass(life, waitMs, 2);
        const open = (await replicas.money(life.account, life.orderId)).payments.filter(
          ({ finishedAt }) => finishedAt === null,
        );
        expect([seam, open]).toEqual([seam, []]);
        await expectRenewedOnce(replicas, life.account, life, 1900, nothingLost);
        if (kind !== 'confirmed') expect([seam, await taken(life)]).toEqual([seam, []]);
        if (!dying.dead) break;
        met += 1;
      }
      expect(met).toBeGreaterThan(volume(1, 30));
      expect(replicas.errors).toEqual([]);
    },
    volume(120_000, hourMs),
  );
});

describe('whatever the processor', () => {
  openReplicasOf('simulated');

  test('two tabs that go on at once, each step twice, have it charged once', async () => {
    const life = await pastDue();
    const tabs = [life, { ...life, replica: replicas.start() }];
    await give(life, 'sim_always_requires_action');
    for (let step = 0; step < 3; step += 1) {
      await replicas.outside.buyersDecide();
      await Promise.all([...tabs.map(goOn), tabs[1]?.replica.round()]);
    }
    expect(await read(life)).toMatchObject({ status: 'active' });
    expect(await renewals(life)).toHaveLength(2);
    await expectCharged(life, 1);
  });

  test('a buyer who comes back after the hour finds it given up, and one who refuses has not paid', async () => {
    const [late, refuses] = [await waiting('sim_renewal_action_ignored'), await waiting('sim_renewal_action_refused')];
    await replicas.outside.buyersDecide();
    for (const life of [late, refuses]) {
      if (life === late) replicas.clock.advance(hourMs);
      expect(await goOn(life)).toMatchObject({
        status: 'past_due',
        renewal_under_way: false,
        renewalConfirmation: null,
      });
      await expectCharged(life, 0);
    }
  });

  test.each([
    ['canceled', async (life: Life) => void (await cancel(life))],
    [
      'paused',
      async (life: Life) => void (await pauseSubscription(life.replica.deps, commandOf(life.account), life.id)),
    ],
    ['refunded', refundEvent],
    ['given another card', async (life: Life) => void (await give(life, 'sim_renewal_declined', {}))],
  ])('a renewal of a subscription that is %s while it waits is given up at once, as no attempt', async (_, act) => {
    const life = await waiting('sim_renewal_action_ignored');
    const { failed_tries } = await readSubscription(replicas, life.id);
    await act(life);
    await life.replica.round();
    expect(await newest(life)).toMatchObject({ status: 'declined', declineReason: 'given_up', releasing: false });
    expect(await readSubscription(replicas, life.id)).toMatchObject({ failed_tries });
    await expectCharged(life, 0);
  });

  test('another card in the portal replaces what waits, and is charged then', async () => {
    const life = await waiting('sim_renewal_action_ignored');
    expect(await give(life, 'sim_ok')).toMatchObject({ status: 'active', last_four: '4242', renewal_under_way: false });
    expect((await renewals(life)).map(({ declineReason }) => declineReason)).toEqual([
      expect.any(String),
      'given_up',
      null,
    ]);
    await expectCharged(life, 1);
  });

  test('what is paused and resumed meanwhile is charged anew', async () => {
    const life = await waiting('sim_renewal_action_ignored');
    await pauseSubscription(life.replica.deps, commandOf(life.account), life.id);
    await life.replica.round();
    await resumeSubscription(life.replica.deps, commandOf(life.account), life.id);
    await life.replica.daily(life.account);
    expect((await newest(life))?.declineReason).toBe('authentication_required');
    await expectCharged(life, 0);
  });

  test('a refund of its order that is requested gives it up, and goes through; until then a refund of one payment says why not', async () => {
    const input = startInput({
      paymentMethod: replicas.outside.card('sim_ok'),
      orderId: newId('order', replicas.clock.nowMs()),
    });
    const life = await beginPaidLife(replicas, input);
    await replicas.database.pool.query(
      `update subscriptions set status = 'past_due', failed_tries = 1, next_charge_at = $2, amount_cents = 1900 where id = $1`,
      [life.id, replicas.clock.now()],
    );
    await give(life, 'sim_renewal_action_ignored');
    expect(await newest(life)).toMatchObject({ status: 'requires_action' });
    const { payments } = await replicas.money(life.account, life.orderId);
    const paid = payments.find(({ step }) => step === 'main')?.id ?? '';
    await expect(refundPayment(life.replica.deps, commandOf(life.account), paid, undefined)).rejects.toMatchObject({
      ...{ code: 'invalid_transition', message: expect.stringContaining('waits until its buyer confirms it') },
    });
    expect(await refundCharges(life.replica.deps, life.caller, life.orderId)).toMatchObject({ status: 'processing' });
    await life.replica.round();
    expect(await newest(life)).toMatchObject({ status: 'declined', declineReason: 'given_up' });
    await pass(life, minuteMs);
    expect((await replicas.money(life.account, life.orderId)).charges).toMatchObject([{ refundedCents: 4900 }]);
    expect(await taken(life)).toHaveLength(1);
  });

  test('where a look-up fails after the release nothing is shown to confirm, and it ends within minutes', async () => {
    const life = await waiting('sim_renewal_action_ignored');
    replicas.clock.advance(hourMs);
    life.replica.fail('answered', 'answered', 'throws_before');
    await life.replica.round();
    expect(await newest(life)).toMatchObject({ status: 'requires_action', releasing: false, actionUrl: null });
    life.replica.fail('throws_before');
    expect(await goOn(life)).toMatchObject({ status: 'past_due', renewalConfirmation: null });
    await pass(life, 5 * minuteMs, 2);
    expect(await newest(life)).toMatchObject({ status: 'declined', declineReason: 'authentication_required' });
    await expectCharged(life, 0);
  });

  test('a release whose answer got lost is looked up, and the renewal ends with it', async () => {
    const life = await waiting('sim_renewal_action_ignored');
    replicas.clock.advance(hourMs);
    life.replica.fail('answered', 'throws_after');
    await life.replica.round();
    expect(await newest(life)).toMatchObject({ status: 'requires_action', releasing: true });
    expect(await goOn(life)).toMatchObject({ status: 'past_due', renewal_under_way: true, renewalConfirmation: null });
    await pass(life, minuteMs, 2);
    expect(await newest(life)).toMatchObject({ status: 'declined', declineReason: 'authentication_required' });
    await expectCharged(life, 0);
  });

  test('what did not arrive is sent again for half an hour, and charged anew by the next run when its buyer has left', async () => {
    const lost = async (): Promise<Life> => {
      const life = await pastDue();
      life.replica.fail('answered', 'throws_before');
      await give(life, 'sim_renewal_action_ignored');
      expect(await newest(life)).toMatchObject({ status: 'unknown', attemptNo: 2 });
      return life;
    };
    const soon = await lost();
    await pass(soon, 29 * minuteMs);
    expect(await newest(soon)).toMatchObject({ status: 'requires_action' });
    const late = await lost();
    const calls = late.replica.processor.calls.length;
    await pass(late, 30 * minuteMs);
    expect(await newest(late)).toMatchObject({ status: 'unknown' });
    expect(late.replica.processor.calls.slice(calls)).toMatchObject([{ method: 'lookUp' }]);
    await pass(late, hourMs);
    expect(await newest(late)).toMatchObject({ status: 'declined', declineReason: 'not_received' });
    await late.replica.daily(late.account);
    expect(await newest(late)).toMatchObject({ attemptNo: 3, declineReason: 'authentication_required' });
    await expectCharged(late, 0);
  });

  test('what is frozen between its row and its call for half an hour is not sent any more', async () => {
    const life = await pastDue();
    const frozen = replicas.start(
      actedAt('renewals-claim', 'after', async () => replicas.clock.advance(30 * minuteMs)),
    );
    await give({ ...life, replica: frozen }, 'sim_ok');
    expect(await newest(life)).toMatchObject({ status: 'unknown', attemptNo: 2 });
    expect(frozen.processor.calls.map(({ method }) => method)).not.toContain('chargeSaved');
  });

  test('a page that can neither send its buyer away nor run the script has the card charged as if they were away', async () => {
    const life = await pastDue();
    await give(life, 'sim_renewal_requires_action', { chargeNow: true });
    expect(await newest(life)).toMatchObject({ status: 'declined', declineReason: 'authentication_required' });
    await expectCharged(life, 0);
  });
});

/** What buyer, seller and payments loop do, as far as the process comes. */
async function live(life: Life, kind: 'confirmed' | 'abandoned' | 'canceled', commandId: string): Promise<void> {
  const card = kind === 'confirmed' ? 'sim_renewal_requires_action' : 'sim_renewal_action_ignored';
  await give(life, card, requested, commandId).catch(unlessCanceled);
  await replicas.outside.buyersDecide();
  if (kind === 'confirmed') await goOn(life).catch(unlessCanceled);
  if (kind === 'canceled') await cancel(life);
  if (kind === 'abandoned') replicas.clock.advance(hourMs);
  for (let round = 0; round < 2; round += 1) await life.replica.round();
}

/** One that a kill kept from being sent is not saved later, and one that has ended takes none. */
function unlessCanceled(err: unknown): void {
  const { code } = err as { readonly code?: string };
  if (code !== 'invalid_transition' && code !== 'card_declined') throw err;
}
