import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { getBuyerOrder, type PortalSubscriptionWithNewCard, type portalPaymentMethodBody } from '@app/contracts/portal';
import { continuePaymentMethod, putPaymentMethod } from '@app/contracts/subscriptions';
import type { z } from 'zod';
import { portalUrlOf } from '../../edge/public-urls.ts';
import type { PaymentAttempt } from '../../limits/decline-limit.ts';
import type { OperationCall } from '../operation.ts';
import { requireSubscription } from './portal-buyer.ts';
import { changedPortalSubscriptionOf, type SubscriptionOfBilling } from './portal-subscription.rules.ts';

type Call<Body = unknown> = OperationCall<{ readonly subscriptionId: string }, unknown, Body>;
type NewCard = RequestOutput<typeof putPaymentMethod>;
type Continued = RequestOutput<typeof continuePaymentMethod>;

/** What the limit of declined attempts counts a saved card as: it helps a thief as much as a small payment does. */
const asSmallPaymentCents = 1;

/**
 * Saves a card for a subscription of the buyer; where its payment is past due, the card is charged at once.
 * @throws DomainError subscription_not_found, card_declined, rate_limited before a processor is called, and what billing
 * refuses it with
 */
export async function putPortalPaymentMethod(
  call: Call<z.output<typeof portalPaymentMethodBody>>,
): Promise<PortalSubscriptionWithNewCard> {
  const { app, actor, address, params, body, context, ownUrls } = call;
  const { accountId, settings } = actor;
  const found = await requireSubscription(call, params.subscriptionId);
  const portal = portalUrlOf(ownUrls[0] ?? '', settings.handle);
  const returnUrl = `${portal}/subscriptions/${params.subscriptionId}/card?back=1`;
  const attempting = {
    address,
    checkoutId: params.subscriptionId,
    owner: async () => ({ accountId, paid: await hasPaid(call, found) }),
  };
  const { declined, card } = await app.declineLimit.attempt(attempting, async () => {
    try {
      const { paymentMethod, confirmsByScript } = body;
      const input = { ...params, body: { paymentMethod }, returnUrl, confirmsByScript, chargeNow: true };
      const saved = await app.requester.request(putPaymentMethod, input, context);
      return { accountId, outcome: cardOutcome(saved), card: saved, declined: null };
    } catch (err) {
      if (!(err instanceof DomainError && err.code === 'card_declined')) throw err;
      return { accountId, outcome: { status: 'declined', totalCents: 0 } as const, card: null, declined: err };
    }
  });
  if (card === null) throw declined;
  return newCardOf(card, found, call);
}

/**
 * How the newest card stands, and then the charge of what is past due: the processor is queried once the buyer is back from the bank.
 * @throws DomainError subscription_not_found, card_declined, invalid_transition where no card was given
 */
export async function continuePortalPaymentMethod(call: Call): Promise<PortalSubscriptionWithNewCard> {
  const { app, actor, address, params, context } = call;
  const found = await requireSubscription(call, params.subscriptionId);
  const card = await app.requester.request(continuePaymentMethod, { ...params, chargeNow: true }, context);
  const made = { address, accountId: actor.accountId, checkoutId: params.subscriptionId, outcome: cardOutcome(card) };
  await app.declineLimit.continued(made);
  const { clientSecret, renewalConfirmation, ...changed } = card;
  const answer = newCardOf(changed, found, call);
  if (clientSecret !== undefined) answer.payment_method.client_secret = clientSecret;
  return { ...answer, renewal_confirmation: confirmationOf(renewalConfirmation) };
}

/** What was free shows no card, so it makes no buyer known: anyone may subscribe to it, to try stolen cards there. */
async function hasPaid({ app, context }: Call, found: SubscriptionOfBilling): Promise<boolean> {
  if (found.payments.some(({ step, status }) => step === 'renewal' && status === 'succeeded')) return true;
  const { order_id: orderId, customer_email: email, test } = found;
  return (await app.requester.request(getBuyerOrder, { orderId, email, test }, context)).total_cents > 0;
}

function cardOutcome({ payment_method: { status } }: NewCard): PaymentAttempt['outcome'] {
  return { status: status === 'saved' ? 'paid' : status, totalCents: asSmallPaymentCents };
}

/** A bank with an address is not shown by the processor's script: its secret stays here. */
function confirmationOf(
  waiting: Continued['renewalConfirmation'],
): PortalSubscriptionWithNewCard['renewal_confirmation'] {
  if (waiting === null) return null;
  const { url, clientSecret } = waiting;
  return url !== null || clientSecret === undefined ? { url } : { url, client_secret: clientSecret };
}

function newCardOf(
  { payment_method, ...changed }: NewCard,
  before: SubscriptionOfBilling,
  { actor }: Call,
): PortalSubscriptionWithNewCard {
  const subscription = changedPortalSubscriptionOf(changed, before, actor.settings);
  return { ...subscription, payment_method, renewal_confirmation: null };
}
