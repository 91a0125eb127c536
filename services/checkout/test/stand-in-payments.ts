import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { newId } from '@app/contracts/ids';
import type { HoldResult, PaymentOutcome, startPayment } from '@app/contracts/payments';

/** Of every card. */
export const lastFour = '4242';

export type StartInput = RequestInput<typeof startPayment>;

/** One attempt to pay, as billing has it. */
export interface MadeAttempt {
  readonly accountId: string;
  readonly input: StartInput;
  outcome: PaymentOutcome;
}

/** The rules of `payments.start`, in its docstring's order. */
export function start(attempts: MadeAttempt[], accountId: string, input: StartInput): PaymentOutcome {
  const ofOrder = attempts.filter((made) => made.input.orderId === input.orderId);
  const success = ofOrder.find(({ outcome }) => outcome.status === 'succeeded' || outcome.status === 'held');
  if (success !== undefined) return success.outcome;
  const same = ofOrder.find(({ outcome }) => outcome.attemptNo === input.attemptNo);
  if (same !== undefined) return same.outcome;
  const open = ofOrder.find(({ outcome }) => outcome.status === 'processing');
  if (open !== undefined) return open.outcome;
  for (const { outcome } of ofOrder) {
    if (outcome.status === 'requires_action') Object.assign(outcome, { status: 'declined', action: null });
  }
  const made = { accountId, input, outcome: firstOutcome(input) };
  attempts.push(made);
  return made.outcome;
}

export function lookUp(
  attempts: MadeAttempt[],
  accountId: string,
  input: StartInput,
  card: string | null,
): PaymentOutcome {
  if (card !== null) return start(attempts, accountId, { ...input, paymentMethod: card });
  return { ...firstOutcome({ ...input, paymentMethod: 'declined' }), reason: 'try_again_later' };
}

function firstOutcome(input: StartInput): PaymentOutcome {
  const { attemptNo, amountCents, paymentMethod } = input;
  const noCard = { lastFour: null, decideBy: null };
  const outcome = {
    paymentId: newId('payment', Date.now()),
    attemptNo,
    amountCents,
    action: null,
    reason: null,
    ...noCard,
    processor: 'stripe',
  };
  if (paymentMethod === 'declined') return { ...outcome, status: 'declined', reason: 'card_declined' };
  if (paymentMethod === 'given-up') return { ...outcome, status: 'declined', reason: 'try_again_later' };
  if (paymentMethod === 'no-money') return { ...outcome, status: 'declined', reason: 'insufficient_funds' };
  if (paymentMethod === 'unknown') return { ...outcome, status: 'processing' };
  if (paymentMethod === 'action') {
    return { ...outcome, status: 'requires_action', action: { url: `https://bank.example/${outcome.paymentId}` } };
  }
  return { ...outcome, ...successOf(input) };
}

/** As the card of a payment that took or held money. */
function successOf({ hold }: StartInput): Pick<PaymentOutcome, 'status' | 'lastFour' | 'decideBy'> {
  if (hold === null) return { status: 'succeeded', lastFour, decideBy: null };
  const decideBy = new Date(Date.now() + hold.decisionMinutes * 60_000).toISOString();
  return { status: 'held', lastFour, decideBy };
}

export function lastOf(attempts: MadeAttempt[], orderId: string): MadeAttempt {
  const last = attempts.findLast(({ input }) => input.orderId === orderId);
  if (last === undefined) throw new Error(`no payment of ${orderId}`);
  return last;
}

/** The rules of `holds.settle`. */
export function settlement({ input }: MadeAttempt, decision: HoldResult['decision']): HoldResult {
  const { hold, paymentMethod, amountCents } = input;
  if (hold === null) throw new Error('nothing is held');
  if (paymentMethod === 'lost') {
    return { status: 'lost', decision, reason: 'expired', upsell: null, upsellDeclined: false, capturedCents: 0 };
  }
  const upsellDeclined = decision === 'accepted' && paymentMethod === 'no-upsell';
  const upsell = decision === 'accepted' && !upsellDeclined ? hold.upsell : null;
  return { status: 'settled', decision, upsell, upsellDeclined, capturedCents: amountCents, processor: 'stripe' };
}

export function finish(attempts: MadeAttempt[], orderId: string, status: 'succeeded' | 'declined'): MadeAttempt {
  const made = lastOf(attempts, orderId);
  const end =
    status === 'succeeded'
      ? { ...successOf(made.input), reason: null }
      : { status: 'declined' as const, reason: 'card_declined' as const };
  made.outcome = { ...made.outcome, ...end, action: null };
  return made;
}

/** As `payments.continue`: the buyer of card `action` has confirmed before this request. */
export function confirm(attempts: MadeAttempt[], orderId: string): PaymentOutcome {
  if (!attempts.some(({ input }) => input.orderId === orderId))
    throw new DomainError('invalid_transition', 'No payment was started.');
  const last = lastOf(attempts, orderId);
  return last.outcome.status === 'requires_action' ? finish(attempts, orderId, 'succeeded').outcome : last.outcome;
}
