import { newId, newIdSuffix } from '@app/contracts/ids';
import type { Database } from '@app/service-kit/database';
import { inTurn, wholeWork } from '@app/testing/whole-work';
import { expect } from 'vitest';
import { startPayment } from '../src/charging/start-payment.ts';
import { recordDispute } from '../src/disputes/record-dispute.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import {
  cancelSubscription,
  keepSubscription,
  pauseSubscription,
  resumeSubscription,
} from '../src/subscriptions/subscriptions.ts';
import { continuePaymentMethod, putPaymentMethod } from './new-cards.ts';
import { newAccount, type Replica, type Replicas, type Wrap } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { subscribe } from './subscriptions-of-tests.ts';

/** What a seller or a buyer does to one of the subscriptions. */
export type Act =
  | { readonly kind: 'pause' | 'resume'; readonly of: number; readonly by: 'seller' | 'buyer' }
  | { readonly kind: 'cancel' | 'cancel_at_end' | 'keep' | 'refund'; readonly of: number }
  /** At the processor itself, where it has a page for that: nothing here is notified of it. */
  | { readonly kind: 'refund_there'; readonly of: number }
  /** The bank disputes the first renewal, or that dispute goes on. */
  | { readonly kind: 'dispute'; readonly of: number; readonly status: 'needs_response' | 'won' | 'lost' }
  /** In the portal what is past due is charged at once. */
  | { readonly kind: 'card'; readonly of: number; readonly card: string; readonly chargeNow: boolean }
  /** A buyer who is back from the bank. */
  | { readonly kind: 'continue_card'; readonly of: number };

/** From an answer on that no renewal was under way: what the processor has of the order, and the payments on earlier cards. */
interface Answered {
  readonly calls?: { readonly count: number; readonly until: 'resumed' | 'kept' | 'ever' };
  readonly card?: { readonly method: string; readonly before: ReadonlySet<string> };
}

/** A seller with subscriptions, and what they were answered. */
export class Shop {
  readonly account = newAccount();
  readonly subscriptions: { readonly id: string; readonly orderId: string }[] = [];
  readonly #replicas: Replicas;
  readonly #paid = new Set<string>();
  /** Orders that were given back at the processor itself. */
  readonly refundedThere = new Set<string>();
  #answered = new Map<string, Answered>();
  /** How many disputes of a charge have ended. */
  readonly #disputes = new Map<string, number>();
  /** How often each was canceled for the end of its period: a renewal under way that is declined then has no event. */
  readonly canceledAtEnd = new Map<string, number>();

  constructor(replicas: Replicas) {
    this.#replicas = replicas;
  }

  /** Of an order that the seller's own code recorded with a card. */
  async subscribe(paymentMethod: string): Promise<void> {
    this.subscriptions.push(await subscribe(this.#replicas, this.account, { paymentMethod }));
  }

  /** Of an order that its buyer has paid in the checkout: it has money that can go back. */
  async sell(): Promise<void> {
    const orderId = newId('order', this.#replicas.clock.nowMs());
    const input = startInput({ orderId, paymentMethod: this.#replicas.outside.card('sim_ok') });
    await startPayment(this.#replicas.start().deps, { accountId: this.account, requestId: 'r' }, input);
    this.#paid.add(orderId);
    this.subscriptions.push(await subscribe(this.#replicas, this.account, { orderId, paymentMethod: null }));
  }

  /** @param meanwhile what else is done at the same time: of two contrary acts it is not known which one was last */
  async act(deps: Replica['deps'], what: Act, meanwhile: readonly Act[]): Promise<void> {
    const subscription = this.subscriptions[what.of];
    if (subscription === undefined) return;
    const { id, orderId } = subscription;
    const contrary = meanwhile.some((other) => other !== what && other.of === what.of && isContrary(what, other));
    if (what.kind === 'resume' || what.kind === 'pause') this.#forgetCalls(orderId, 'resumed');
    if (what.kind === 'keep') this.#forgetCalls(orderId, 'kept');
    if (isOfCard(what)) this.#forget(orderId, 'card');
    if (what.kind === 'cancel_at_end') this.canceledAtEnd.set(orderId, (this.canceledAtEnd.get(orderId) ?? 0) + 1);
    const { underWay, until } = await this.#make(deps, what, id, orderId);
    if (underWay || contrary || until === undefined) return;
    const note = isOfCard(what) ? await this.#noteCard(orderId) : await this.#noteCalls(orderId, until);
    this.#answered.set(orderId, { ...this.#answered.get(orderId), ...note });
  }

  /** A seller who was answered that nothing was under way is charged nothing afterwards, and nothing on an earlier card. */
  async expectKept(): Promise<void> {
    for (const [orderId, { calls, card }] of this.#answered) {
      if (calls !== undefined) expect([orderId, await this.#countCalls(orderId)]).toEqual([orderId, calls.count]);
      if (card === undefined) continue;
      const since = (await this.#payments(orderId)).filter((payment) => !card.before.has(payment.id));
      const renewals = since.filter(({ step }) => step === 'renewal');
      const methods = new Set(renewals.map(({ request }) => (request as { savedMethod?: string }).savedMethod));
      expect([...methods].filter((method) => method !== card.method)).toEqual([]);
    }
  }

  /** What a database that is copied now knows for good; a pause may end after the copy, in a time that the copy does not know. */
  kept(): ReadonlyMap<string, Answered> {
    const ever = [...this.#answered].filter(([, { calls }]) => calls?.until === 'ever');
    return new Map(ever.map(([orderId, { calls }]) => [orderId, calls === undefined ? {} : { calls }]));
  }

  restore(kept: ReadonlyMap<string, Answered>): void {
    this.#answered = new Map(kept);
  }

  /** @returns whether a renewal is under way then, and until when none is charged; undefined where one may be */
  async #make(deps: Replica['deps'], what: Act, id: string, orderId: string): Promise<Made> {
    const context = { accountId: this.account, requestId: 'r', commandId: newIdSuffix(this.#replicas.clock.nowMs()) };
    const changing = { ...deps, database: this.#replicas.database };
    switch (what.kind) {
      case 'pause':
        return made(await pauseSubscription(changing, context, id, what), 'resumed');
      case 'resume':
        return made(await resumeSubscription(changing, context, id, what), undefined);
      case 'cancel':
        return made(await cancelSubscription(changing, context, id), 'ever');
      case 'cancel_at_end': {
        const changed = await cancelSubscription(changing, context, id, { at: 'period_end', by: 'buyer' });
        return made(changed, changed.status === 'canceled' ? 'ever' : 'kept');
      }
      case 'keep':
        return made(await keepSubscription(changing, context, id), undefined);
      case 'card':
        return madeCard(
          await putPaymentMethod(changing, context, id, this.#replicas.outside.newCard(what.card), {
            chargeNow: what.chargeNow,
            returnUrl: 'https://shop.example/portal',
          }),
        );
      case 'continue_card':
        await this.#replicas.outside.buyersDecide();
        return madeCard(await continuePaymentMethod(changing, context, id, { chargeNow: true }));
      case 'refund': {
        // Checkout is never heard of: its order.refunded is late, or a dead letter.
        const how = { chargedElsewhere: !this.#paid.has(orderId) };
        const { status, orderRefunded } = await refundCharges(deps, context, orderId, how);
        const underWay = await this.#isUnderWay(orderId);
        return { underWay, until: status === 'refunded' && orderRefunded ? 'ever' : undefined };
      }
      case 'dispute': {
        const ends = (await this.#dispute(changing, orderId, what.status)) && what.status === 'lost';
        return { underWay: await this.#isUnderWay(orderId), until: ends ? 'ever' : undefined };
      }
      case 'refund_there': {
        const [charge] = (await this.#replicas.money(this.account, orderId)).charges;
        if (charge !== undefined && this.#replicas.outside.refundThere(charge.reference))
          this.refundedThere.add(orderId);
        return { underWay: false, until: undefined };
      }
    }
  }

  async #isUnderWay(orderId: string): Promise<boolean> {
    return (await this.#payments(orderId)).some(({ finishedAt, step }) => finishedAt === null && step === 'renewal');
  }

  /** @returns whether it is recorded: only a renewal that was charged is disputed */
  async #dispute(deps: Replica['deps'], orderId: string, status: 'needs_response' | 'won' | 'lost'): Promise<boolean> {
    const [charge] = (await this.#replicas.money(this.account, orderId)).renewals;
    if (charge === undefined) return false;
    const ended = this.#disputes.get(charge.id) ?? 0;
    // After its end the next one is another one.
    if (status !== 'needs_response') this.#disputes.set(charge.id, ended + 1);
    const about = { paymentId: charge.id, orderId, about: charge.reference, openedAt: this.#replicas.clock.now() };
    const money = { amountCents: 100, currency: charge.currency, takenCents: 0 };
    const shown = { reason: 'fraudulent', status, refundable: false, evidenceDueBy: null };
    const scope = { accountId: this.account, processor: charge.processor, test: false };
    return await recordDispute(deps, scope, { reference: `du_${charge.id}_${ended}`, ...about, ...money, ...shown });
  }

  /** The bank gives up what it disputes still. */
  async endDisputes(deps: Replica['deps']): Promise<void> {
    for (const { orderId } of this.subscriptions) await this.#dispute(deps, orderId, 'won');
  }

  async #noteCalls(orderId: string, until: NonNullable<Made['until']>): Promise<Answered> {
    return { calls: { count: await this.#countCalls(orderId), until } };
  }

  async #noteCard(orderId: string): Promise<Answered> {
    const { rows } = await this.#replicas.database.pool.query<{ payment_method: string }>(
      'select payment_method from subscriptions where account_id = $1 and order_id = $2',
      [this.account, orderId],
    );
    const method = rows[0]?.payment_method ?? '';
    return { card: { method, before: new Set((await this.#payments(orderId)).map(({ id }) => id)) } };
  }

  #forgetCalls(orderId: string, until: Made['until']): void {
    if (this.#answered.get(orderId)?.calls?.until === until) this.#forget(orderId, 'calls');
  }

  #forget(orderId: string, what: keyof Answered): void {
    const { [what]: forgotten, ...rest } = this.#answered.get(orderId) ?? {};
    if (forgotten !== undefined) this.#answered.set(orderId, rest);
  }

  async #payments(orderId: string) {
    return (await this.#replicas.money(this.account, orderId)).payments;
  }

  /** What the processor has of an order's renewals. */
  async #countCalls(orderId: string): Promise<number> {
    const books = await this.#replicas.books(this.account);
    return books.filter((entry) => entry.orderId === orderId && entry.kind === 'charge').length;
  }
}

interface Made {
  readonly underWay: boolean;
  readonly until: NonNullable<Answered['calls']>['until'] | undefined;
}

const made = (
  { renewal_under_way: underWay }: { readonly renewal_under_way: boolean },
  until: Made['until'],
): Made => ({
  underWay,
  until,
});

/** Where it is not known whether the card is saved, the one before it may be charged still. */
const madeCard = (changed: Awaited<ReturnType<typeof putPaymentMethod>>): Made =>
  made(changed, changed.payment_method.status === 'saved' ? 'ever' : undefined);

const isOfCard = ({ kind }: Act): boolean => kind === 'card' || kind === 'continue_card';

function isContrary(one: Act, other: Act): boolean {
  if (isOfCard(one)) return isOfCard(other);
  return other.kind === (one.kind === 'cancel_at_end' ? 'keep' : 'resume');
}

/** A process whose first statement of this name waits until sellers have acted: before it, or once it is committed. */
export function actedAt(name: string, when: 'before' | 'after', act: () => Promise<unknown>): Wrap {
  let acted = false;
  const isFirst = (config: { readonly name?: string }): boolean => {
    const first = config.name === name && !acted;
    acted ||= first;
    return first;
  };
  const database: Wrap['database'] = (inner) => {
    const query = async (config: { readonly name?: string }, values?: unknown[]) => {
      const first = isFirst(config);
      if (first && when === 'before') await act();
      const result = await inner.pool.query(config as never, values);
      if (first && when === 'after') await act();
      return result;
    };
    const transaction: Database['transaction'] = async (work, lastOf) => {
      let hasFirst = false;
      const result = await inner.transaction((client) => {
        const inside = async (config: { readonly name?: string }, values?: unknown[]) => {
          const first = isFirst(config);
          hasFirst ||= first;
          if (first && when === 'before') await act();
          return await client.query(config as never, values);
        };
        return wholeWork(work, lastOf)(inTurn(client, inside));
      });
      if (hasFirst && when === 'after') await act();
      return result;
    };
    return { ...inner, transaction, pool: Object.assign(Object.create(inner.pool), { query }) };
  };
  return { database };
}

/** A process whose first answer to a payment of an order waits until others have acted: before it is recorded, or once it is committed. */
export function answeredAt(when: 'before' | 'after', act: () => Promise<unknown>): Wrap {
  let acted = false;
  const answers: Wrap['answers'] = (writer) => ({
    close: () => writer.close(),
    add: async (answer) => {
      const isFirst = !acted;
      acted = true;
      if (isFirst && when === 'before') await act();
      const written = await writer.add(answer);
      if (isFirst && when === 'after') await act();
      return written;
    },
  });
  return { answers };
}
