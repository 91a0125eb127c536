import { newIdSuffix } from '@app/contracts/ids';
import { expect } from 'vitest';
import type { putPaymentMethod as put } from '../src/cards/put-payment-method.ts';
import { continuePaymentMethod, putPaymentMethod } from './new-cards.ts';
import { hourMs, newAccount } from './payment-replicas.ts';
import { commandOf, replicas } from './set-up.ts';
import { type Life, readStory, subscribe } from './subscriptions-of-tests.ts';

/** A renewal that waits until its buyer confirms it at the bank, and what they do on the card page. */

const renewalDay = '2026-02-28T12:00:00.000Z';
const returnUrl = 'https://shop.example/p/shop';
export const requested = { returnUrl, chargeNow: true };

type How = NonNullable<Parameters<typeof put>[4]>;
export const give = (life: Life, card: string, how: How = requested, commandId = newIdSuffix(replicas.clock.nowMs())) =>
  putPaymentMethod(
    life.replica.deps,
    { ...commandOf(life.account), commandId },
    life.id,
    replicas.outside.newCard(card),
    how,
  );

export const goOn = (life: Life) =>
  continuePaymentMethod(life.replica.deps, commandOf(life.account), life.id, { chargeNow: true });

export const renewals = async ({ account, orderId }: Life) =>
  (await replicas.money(account, orderId)).payments.filter(({ step }) => step === 'renewal');
export const newest = async (life: Life) => (await renewals(life)).toSorted((a, b) => a.attemptNo - b.attemptNo).at(-1);
export const stories = async ({ account, id }: Life) =>
  (await readStory(replicas, account, id)).map(({ event }) => event);

/** Its first renewal was declined, and its buyer is on the card page. */
export async function pastDue(): Promise<Life> {
  replicas.clock.set('2026-01-31T12:00:00.000Z');
  const account = newAccount();
  const paymentMethod = replicas.outside.savedCard('sim_renewal_declined');
  const life = { account, ...(await subscribe(replicas, account, { paymentMethod })), replica: replicas.start() };
  replicas.clock.set(renewalDay);
  await life.replica.renew(account);
  replicas.clock.advance(hourMs);
  return life;
}

export async function waiting(card: string): Promise<Life> {
  const life = await pastDue();
  expect(await give(life, card)).toMatchObject({
    ...{ status: 'past_due', renewal_under_way: true, payment_method: { status: 'saved', url: null } },
  });
  expect(await newest(life)).toMatchObject({ status: 'requires_action', attemptNo: 2 });
  return life;
}

export async function pass(life: Life, ms: number, rounds = 1): Promise<void> {
  replicas.clock.advance(ms);
  for (let round = 0; round < rounds; round += 1) await life.replica.round();
}
