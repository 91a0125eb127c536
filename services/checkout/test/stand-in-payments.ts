import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { newId } from '@app/contracts/ids';
import type { HoldResult, PaymentOutcome, startPayment } from '@app/contracts/payments';

/** Of every card. */
export const lastFour = '4242';

export type StartInput = RequestInput<typeof startPayment>;

/** One try to pay, as billing has it. */
export interface MadeTry {
  readonly accountId: string;
  readonly input: StartInput;
  outcome: PaymentOutcome;
}

/** The rules of `payments.start`, in its docstring's order. */
export function start(tries: MadeTry[], accountId: string, input: StartInput): PaymentOutcome {
  const ofOrder = tries.filter((made) => made.input.orderId === input.orderId);
  const success = ofOrder.find(({ outcome }) => outcome.status === 'succeeded' || outcome.status === 'held');
  if (success !== undefined) return success.outcome;
  const same = ofOrder.find(({ outcome }) => outcome.tryNo === input.tryNo);
  if (same !== undefined) return same.outcome;
  const open = ofOrder.find(({ outcome }) => outcome.status === 'processing');
  if (open !== undefined) return open.outcome;
  for (const { outcome } of ofOrder) {
    if (outcome.status === 'requires_action') Object.assign(outcome, { status: 'declined', action: null });
  }
  const made = { accountId, input, outcome: firstOutcome(input) };
  tries.push(made);
  return made.outcome;
}

export function lookUp(tries: MadeTry[], accountId: string, input: StartInput, card: string | null): PaymentOutcome {
  if (card !== null) return start(tries, accountId, { ...input, paymentMethod: card });
  return { ...firstOutcome({ ...input, paymentMethod: 'declined' }), reason: 'try_again_later' };
}

function firstOutcome(input: StartInput): PaymentOutcome {
  const { tryNo, amountCents, paymentMethod } = input;
  const noCard = { lastFour: null, decideBy: null };
  const outcome = {
    paymentId: newId('payment', Date.now()),
    tryNo,
    amountCents,
    action: null,
    reason: null,
    ...noCard,
  };
  if (paymentMethod === 'declined') return { ...outcome, status: 'declined', reason: 'card_declined' };
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

export function lastOf(tries: MadeTry[], orderId: string): MadeTry {
  const last = tries.findLast(({ input }) => input.orderId === orderId);
  if (last === undefined) throw new Error(`no payment of ${orderId}`);
  return last;
}

/** The rules of `holds.settle`. */
export function settlement({ input }: MadeTry, decision: HoldResult['decision']): HoldResult {
  const { hold, paymentMethod, amountCents } = input;
  if (hold === null) throw new Error('nothing is held');
  if (paymentMethod === 'lost') {
    return { status: 'lost', decision, upsell: null, upsellDeclined: false, capturedCents: 0 };
  }
  const upsellDeclined = decision === 'accepted' && paymentMethod === 'no-upsell';
  const upsell = decision === 'accepted' && !upsellDeclined ? hold.upsell : null;
  return { status: 'settled', decision, upsell, upsellDeclined, capturedCents: amountCents };
}

export function finish(tries: MadeTry[], orderId: string, status: 'succeeded' | 'declined'): MadeTry {
  const made = lastOf(tries, orderId);
  const end =
    status === 'succeeded'
      ? { ...successOf(made.input), reason: null }
      : { status: 'declined' as const, reason: 'card_declined' as const };
  made.outcome = { ...made.outcome, ...end, action: null };
  return made;
}

/** As `payments.continue`: the buyer of card `action` has confirmed by the time this is asked. */
export function confirm(tries: MadeTry[], orderId: string): PaymentOutcome {
  if (!tries.some(({ input }) => input.orderId === orderId))
    throw new DomainError('invalid_transition', 'No payment was started.');
  const last = lastOf(tries, orderId);
  return last.outcome.status === 'requires_action' ? finish(tries, orderId, 'succeeded').outcome : last.outcome;
}
