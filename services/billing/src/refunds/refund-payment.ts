import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import type { refundPayment as contract } from '@app/contracts/payments';
import { invalidField } from '@app/contracts/validation';
import { type RequestContext, refuseLate } from '@app/messaging/request-headers';
import { formatAmount } from '@app/money/format';
import { statement } from '@app/service-kit/database';
import { openPayment, otherPayment } from '../charging/payment.rules.ts';
import type { Charge, OrderMoney, Payment } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { readMoney } from '../charging/payment-store.ts';
import type { Caller } from '../charging/start-payment.ts';
import { disputedText, disputedThereText, disputeOf, isDisputedThere, lostText } from './disputed.rules.ts';
import { attemptsOf, restOf } from './refund.rules.ts';
import { refundCharge } from './refund-charge.ts';

type Result = RequestOutput<typeof contract>;
type Body = RequestInput<typeof contract>['body'];
type Command = Pick<RequestContext, 'accountId' | 'requestId' | 'commandId'> & Pick<Caller, 'deadlineMs'>;

const orderStatement = statement<{ order_id: string }>(
  'refund-order-of-payment',
  'select order_id from payments where account_id = $1 and id = $2',
  { order_id: 'text' },
);

/**
 * Gives back one charge, of an order or of a renewal, whole or in part. The refund's row is the request, and its id is the
 * command's: a command that comes again finds it. The subscription of a renewal goes on.
 * @throws DomainError payment_not_found, invalid_transition for a payment that took no money, while another one of the order
 * has no outcome, or for an amount beside an earlier refund that was given up and went through after all, already_refunded for an amount of what went back whole, validation_failed for more than is left,
 * service_unavailable where its caller may have given up before, refund_failed, payment_disputed for money that is disputed, or was lost to a dispute
 */
export async function refundPayment(
  deps: PaymentDeps,
  { accountId, requestId, commandId, ...caller }: Command,
  paymentId: string,
  body: Body,
): Promise<Result> {
  const { rows } = await deps.database.pool.query(orderStatement([accountId, paymentId]));
  const orderId = rows[0]?.order_id;
  if (orderId === undefined) throw new DomainError('payment_not_found', `No payment has the id "${paymentId}".`);
  const wanted = { id: idOfCommand('payment', commandId), paymentId, amountCents: body?.amountCents };
  return await deps.orderMutex.run(accountId, orderId, async () => {
    for (let round = 0; round < roundsMax; round += 1) {
      const money = await readMoney(deps.database, accountId, orderId);
      const step = nextStep(money, wanted);
      if (step.kind === 'end') return step.result;
      refuseLate(caller);
      const sent = await refundCharge(deps, { requestId }, money, { ...step, id: wanted.id });
      if (sent === 'found') {
        // The whole rest is what is left by now; an amount may be the one that has gone back.
        if (wanted.amountCents !== undefined) throw wentThrough(orderId);
      } else if (sent !== undefined) return resultOf(step.charge, sent, amountAfter(step.charge, sent));
    }
    throw busy(orderId);
  });
}

/** Other replicas may be faster with a payment of the same order. */
const roundsMax = 4;

interface Wanted {
  readonly id: string;
  readonly paymentId: string;
  readonly amountCents: number | undefined;
}

type Step =
  | { readonly kind: 'send'; readonly charge: Charge; readonly attemptNo: number; readonly amountCents: number }
  | { readonly kind: 'end'; readonly result: Result };

function nextStep(money: OrderMoney, { id, paymentId, amountCents }: Wanted): Step {
  const charge = [...money.charges, ...money.renewals].find((each) => each.id === paymentId);
  if (charge === undefined) {
    throw new DomainError('invalid_transition', `The payment "${paymentId}" took no money that could be given back.`);
  }
  const made = money.payments.find((payment) => payment.id === id);
  if (made !== undefined) return { kind: 'end', result: resultOf(charge, made, charge.refundedCents) };
  const dispute = disputeOf(money, charge);
  if (dispute !== undefined) throw disputed(disputedText(dispute));
  const rest = restOf(charge);
  if (rest === 0 && charge.lostCents > 0) throw disputed(lostText(charge));
  if (rest === 0 && amountCents !== undefined) throw alreadyRefunded(charge);
  if (rest === 0) return { kind: 'end', result: nothingLeft(charge, money.orderId) };
  if (amountCents !== undefined && amountCents > rest) throw tooMuch(charge, rest);
  const open = openPayment(money.payments);
  if (open?.step === 'renewal' && open.status === 'requires_action') throw waitsForBuyer(money.orderId);
  if (open !== undefined) throw busy(money.orderId);
  // Its upsell may still be charged, and checkout records nothing of a refund before the order is paid.
  if (money.hold?.status === 'settling') throw busy(money.orderId);
  return { kind: 'send', charge, attemptNo: attemptsOf(money, charge).length + 1, amountCents: amountCents ?? rest };
}

const amountAfter = ({ refundedCents }: Charge, { status, amountCents }: Payment): number =>
  refundedCents + (status === 'succeeded' ? amountCents : 0);

/** @param refundedCents of the charge, this refund included */
function resultOf(charge: Charge, refund: Payment, refundedCents: number): Result {
  const about = { ok: true, paymentId: charge.id, orderId: refund.orderId, refundedCents } as const;
  const amount = formatAmount(refund.amountCents, refund.currency);
  if (refund.declineReason === otherPayment) {
    const other = `The refund of ${amount} was not made. ${refund.declineMessage}`;
    throw new DomainError('refund_failed', `${other} Request a new refund of what did not go back there.`);
  }
  if (refund.status === 'declined' && isDisputedThere(refund)) throw disputed(disputedThereText);
  if (refund.status === 'declined') {
    const said = refund.declineMessage === null ? 'It gave no reason.' : `It said: ${refund.declineMessage}`;
    throw new DomainError(
      'refund_failed',
      `The processor refused the refund of ${amount}. ${said} Request it again to try once more.`,
    );
  }
  if (refund.status !== 'succeeded') {
    const detail = `The processor has not answered yet whether it refunded ${amount}; the payment shows it when it has.`;
    return { ...about, status: 'processing', amountCents: 0, detail };
  }
  const charged = formatAmount(charge.amountCents, charge.currency);
  const given = formatAmount(refundedCents, charge.currency);
  const left = refundedCents < charge.amountCents ? ` Of ${charged}, ${given} went back in all.` : '';
  const goesOn = charge.step === 'renewal' ? ' The subscription goes on: cancel it to end its renewals.' : '';
  const detail = `The buyer gets ${amount} back.${left}${goesOn}`;
  return { ...about, status: 'refunded', amountCents: refund.amountCents, detail };
}

const disputed = (detail: string): DomainError => new DomainError('payment_disputed', detail);

function nothingLeft({ id, amountCents, currency }: Charge, orderId: string): Result {
  const detail = `All of it, ${formatAmount(amountCents, currency)}, had gone back before: nothing more was refunded.`;
  return { ok: true, paymentId: id, orderId, status: 'refunded', amountCents: 0, refundedCents: amountCents, detail };
}

/** The whole rest, which is nothing, may be refunded again; an amount cannot. */
const alreadyRefunded = ({ amountCents, currency }: Charge): DomainError =>
  new DomainError(
    'already_refunded',
    `All of the payment, ${formatAmount(amountCents, currency)}, has gone back already: nothing is left to refund.`,
  );

function tooMuch({ amountCents, currency }: Charge, rest: number): DomainError {
  const [charged, given] = [amountCents, amountCents - rest].map((cents) => formatAmount(cents, currency));
  return invalidField('amountCents', `must be at most ${rest}: of ${charged}, ${given} went back already`);
}

const waitsForBuyer = (orderId: string): DomainError =>
  new DomainError(
    'invalid_transition',
    `A renewal of the order "${orderId}" waits until its buyer confirms it at the bank, for an hour at most. Nothing was refunded: request it again then. Canceling the subscription ends the wait.`,
  );

const wentThrough = (orderId: string): DomainError =>
  new DomainError(
    'invalid_transition',
    `An earlier refund of the order "${orderId}", which had been given up, went through after all, or may do so. Nothing more was refunded: see what went back of the payment, and request what is left to refund.`,
  );

const busy = (orderId: string): DomainError =>
  new DomainError(
    'invalid_transition',
    `Another payment of the order "${orderId}" has no outcome yet. Nothing was refunded: request it again when it has.`,
  );
