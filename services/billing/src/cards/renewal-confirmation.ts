import type { RequestOutput } from '@app/contracts/define';
import type { continuePaymentMethod } from '@app/contracts/subscriptions';
import { statement } from '@app/service-kit/database';
import { checkPayment } from '../charging/check-payment.ts';
import { clientSecretOf } from '../charging/continue-payment.ts';
import type { Payment } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { onlyPaymentOf, paymentColumns, paymentTypes } from '../charging/payment-store.ts';
import type { Confirmation } from '../processors/port.ts';

const waitingStatement = statement<Payment>(
  'cards-waiting-renewal',
  `select ${paymentColumns} from payments
   where account_id = $1 and order_id = $2 and step = 'renewal' and status = 'requires_action' and not releasing`,
  paymentTypes,
);

/** The renewal of an order's subscription that waits for its buyer, who may confirm it still. */
async function readWaiting(
  { database }: PaymentDeps,
  accountId: string,
  orderId: string,
): Promise<Payment | undefined> {
  return onlyPaymentOf(await database.pool.query(waitingStatement([accountId, orderId])));
}

/** Looks up a renewal that waits for its buyer: it has ended, is given up, or waits for them still. */
export async function checkWaitingRenewal(deps: PaymentDeps, accountId: string, orderId: string): Promise<void> {
  const waiting = await readWaiting(deps, accountId, orderId);
  if (waiting !== undefined) await checkPayment(deps, accountId, orderId, waiting.id);
}

/** Where the buyer confirms a renewal that waits for them; null where none does, or where no page can show the bank. */
export async function renewalConfirmationOf(
  deps: PaymentDeps,
  accountId: string,
  orderId: string,
): Promise<RequestOutput<typeof continuePaymentMethod>['renewalConfirmation']> {
  const waiting = await readWaiting(deps, accountId, orderId);
  if (waiting === undefined) return null;
  const { actionUrl: url } = waiting;
  if (url !== null) return { url };
  const { clientSecret } = await clientSecretOf(deps, waiting);
  return clientSecret === undefined ? null : { url, clientSecret };
}

/** How the buyer who gave this card may confirm its charge; undefined where the page can neither send them away nor run the script. */
export function confirmationOf(card: Payment | undefined): Confirmation | undefined {
  if (card?.call !== 'saveMethod') return undefined;
  const { returnUrl, confirmsByScript } = card.request;
  if (returnUrl === null && confirmsByScript !== true) return undefined;
  return { returnUrl, ...(confirmsByScript && { confirmsByScript }) };
}
