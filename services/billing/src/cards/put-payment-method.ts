import { buyerReason } from '@app/contracts/decline-reasons';
import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand, idTimeMs } from '@app/contracts/ids';
import type { continuePaymentMethod as continued, putPaymentMethod as contract } from '@app/contracts/subscriptions';
import { refuseLate } from '@app/messaging/request-headers';
import { statement } from '@app/service-kit/database';
import { clientSecretOf, refreshPayment } from '../charging/continue-payment.ts';
import { lostFrom } from '../charging/payment.rules.ts';
import type { Payment } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { sendUnlessFound } from '../charging/send-unless-found.ts';
import { renewalUnderWay } from '../charging/wanted-renewal.ts';
import type { Confirmation } from '../processors/port.ts';
import { chosenName } from '../processors/processor-registry.ts';
import { timeOf } from '../runs/rehearsal-time.ts';
import { refuseCanceled } from '../subscriptions/subscription-change.rules.ts';
import {
  noSubscription,
  type SubscriptionRow,
  subscriptionColumns,
  subscriptionOf,
  subscriptionTypes,
} from '../subscriptions/subscription-rows.ts';
import { beginCard, findCard, newestCard } from './begin-card.ts';
import { checkWaitingRenewal, confirmationOf, renewalConfirmationOf } from './renewal-confirmation.ts';

/** Whose subscription is charged at once. */
interface Charged {
  readonly accountId: string;
  readonly subscriptionId: string;
  readonly test: boolean;
  /** How the bank may ask the buyer, who is there; undefined where it cannot. */
  readonly confirmation: Confirmation | undefined;
}

export interface CardDeps extends PaymentDeps {
  /** Charges what is due of one subscription, as the daily run does. */
  readonly charge: (of: Charged) => Promise<void>;
}
type Result = RequestOutput<typeof contract>;

interface Context {
  readonly accountId: string;
  readonly requestId: string | null;
  readonly commandId: string;
  /** Until when it waits for what is to be begun, in milliseconds since the epoch. */
  readonly deadlineMs?: number;
}

/** See the contract. */
interface How {
  readonly returnUrl?: string | null | undefined;
  readonly confirmsByScript?: boolean | undefined;
  readonly chargeNow?: boolean | undefined;
}

interface StateRow extends SubscriptionRow {
  readonly charging: boolean;
  readonly same_card: boolean | null;
}

/**
 * The token that is charged, or the one that the card was saved from: the same card again is saved. Not while another card has no
 * end: that one would replace it, although it was given before.
 */
const stateStatement = statement<StateRow>(
  'cards-subscription',
  `select ${subscriptionColumns}, ${renewalUnderWay('$1', 's.order_id')} as charging,
     collection = 'automatic' and coalesce(processor, $4) = $4 and (payment_method = $3 or $3 = (
       select p.request ->> 'paymentMethod' from payments as p
       where p.account_id = $1 and p.order_id = s.order_id and p.step = 'card' and p.status = 'succeeded'
       order by p.attempt_no desc limit 1)) and not exists (select from payments as p
         where p.account_id = $1 and p.order_id = s.order_id and p.step = 'card'
           and p.status not in ('succeeded', 'declined')) as same_card
   from subscriptions as s where account_id = $1 and id = $2`,
  { ...subscriptionTypes, charging: 'bool', same_card: 'bool' },
);

async function readState(
  { database }: CardDeps,
  { accountId }: Context,
  id: string,
  card: { readonly method: string | null; readonly processor: string | null } = { method: null, processor: null },
): Promise<StateRow> {
  const values = [accountId, id, card.method, card.processor];
  const [row] = (await database.pool.query(stateStatement(values))).rows;
  if (row === undefined) throw noSubscription(id);
  return row;
}

/**
 * Saves a card at the account's processor; renewals go to it once it is saved. The same card again changes nothing, so it gets
 * no second free attempt. A repeated command finds what the first one began.
 * @param method the token that the account's processor gave for the card; it is neither logged nor returned
 * @throws DomainError subscription_not_found, invalid_transition for a canceled one, no_payment_processor, card_declined;
 * service_unavailable where its caller may have given up before the card is sent, or before what is past due is charged
 */
export async function putPaymentMethod(
  deps: CardDeps,
  context: Context,
  id: string,
  method: string,
  { returnUrl = null, confirmsByScript = false, chargeNow = false }: How = {},
): Promise<Result> {
  const paymentId = idOfCommand('payment', context.commandId);
  const begun = await findCard(deps.database, context.accountId, paymentId);
  if (begun !== undefined) return await resultOf(deps, context, id, await refresh(deps, context, begun), chargeNow);
  const { test } = await readState(deps, context, id);
  const processor = await chosenName(deps.processors, context.accountId, test);
  if (processor === null)
    throw new DomainError(
      'no_payment_processor',
      'The account has no payment processor to store the card: choose one first.',
    );
  const state = await readState(deps, context, id, { method, processor });
  refuseCanceled(state.status, 'given a new card');
  if (state.same_card === true) return await resultOf(deps, context, id, undefined, false);
  const payment = await save(deps, context, { state, paymentId, method, processor, returnUrl, confirmsByScript });
  return await resultOf(deps, context, id, payment, chargeNow);
}

interface Card {
  readonly state: StateRow;
  readonly paymentId: string;
  readonly method: string;
  readonly processor: string;
  readonly returnUrl: string | null;
  readonly confirmsByScript: boolean;
}

/** The row is committed before the call, as of every payment; its id is the key. */
async function save(deps: CardDeps, context: Context, card: Card): Promise<Payment> {
  const { clock, processorCalls, database, restored } = deps;
  const { accountId, requestId } = context;
  const { state, paymentId, method: paymentMethod, processor, returnUrl, confirmsByScript } = card;
  const confirming = { returnUrl, ...(confirmsByScript && { confirmsByScript }) };
  const about = { paymentId, amountCents: 0, currency: state.currency, orderId: state.order_id };
  const nowMs = clock.nowMs();
  // The command's time.
  const begunMs = idTimeMs(paymentId);
  const isFirst = !restored.mayHaveSent(begunMs);
  refuseLate(context);
  const begun = await beginCard(database, {
    accountId,
    subscriptionId: state.id,
    id: paymentId,
    processor,
    now: new Date(nowMs),
    request: { ...about, paymentMethod, customerEmail: state.customer_email, ...confirming },
    checkAt: lostFrom(nowMs, processorCalls.deadlineMs),
  });
  if (begun === undefined) {
    refuseCanceled('canceled', 'given a new card');
    throw new Error('a canceled subscription was given a card');
  }
  const { payment, isNew } = begun;
  if (!isNew) return await refresh(deps, context, payment);
  return await sendUnlessFound(deps, payment, { requestId, isFirst }, begunMs);
}

/**
 * How the newest card stands that was given, and a renewal that waits until its buyer confirms it.
 * @throws DomainError subscription_not_found, invalid_transition where none was, card_declined
 */
export async function continuePaymentMethod(
  deps: CardDeps,
  context: Context,
  id: string,
  { chargeNow = false }: Pick<How, 'chargeNow'> = {},
): Promise<RequestOutput<typeof continued>> {
  await readState(deps, context, id);
  const payment = await newestCard(deps.database, context.accountId, id);
  if (payment === undefined)
    throw new DomainError(
      'invalid_transition',
      'The subscription has no attempt to save a card that could be continued.',
    );
  const now = await refresh(deps, context, payment);
  const result = await resultOf(deps, context, id, now, chargeNow);
  const renewalConfirmation = await renewalConfirmationOf(deps, context.accountId, result.order_id);
  return { ...result, ...(await clientSecretOf(deps, now)), renewalConfirmation };
}

const refresh = (deps: CardDeps, { requestId }: Context, payment: Payment): Promise<Payment> =>
  refreshPayment(deps, payment, requestId);

/** @param payment undefined where the card is the one that the subscription has */
async function resultOf(
  deps: CardDeps,
  context: Context,
  id: string,
  payment: Payment | undefined,
  chargeNow: boolean,
): Promise<Result> {
  const { accountId } = context;
  let state = await readState(deps, context, id);
  if (state.charging) {
    await checkWaitingRenewal(deps, accountId, state.order_id);
    state = await readState(deps, context, id);
  }
  const payment_method = statusOf(payment);
  if (chargeNow && payment_method.status === 'saved' && state.status === 'past_due' && !state.charging) {
    refuseLate(context);
    await deps.charge({ accountId, subscriptionId: id, test: state.test, confirmation: confirmationOf(payment) });
    state = await readState(deps, context, id);
  }
  const resource = subscriptionOf(state, await timeOf(deps, accountId, state.test));
  return { ...resource, renewal_under_way: state.charging, payment_method };
}

function statusOf(payment: Payment | undefined): Result['payment_method'] {
  if (payment === undefined || payment.status === 'succeeded') return { status: 'saved', url: null };
  if (payment.status === 'declined') throw cardDeclined(payment);
  const { status, actionUrl: url, releasing } = payment;
  return status === 'requires_action' && !releasing ? { status, url } : { status: 'processing', url: null };
}

/** The processor's words are the seller's alone: they would help thieves who test stolen cards. */
function cardDeclined({ declineReason }: Payment): DomainError {
  const code = buyerReason(declineReason);
  const why = code === 'try_again_later' ? 'could not be saved: try again later' : 'was declined: give another one';
  const error = { field: 'paymentMethod', code, message: why };
  return new DomainError('card_declined', `The card ${why}. Renewals go to the card before it.`, [error]);
}
