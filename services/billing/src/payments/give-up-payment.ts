import { beginPayment } from './begin-payment.ts';
import { lookUpPayment } from './look-up-payment.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { readMoney, readPayment } from './payment-rows.ts';
import { sendPayment } from './send-payment.ts';

interface GivenUp {
  /** As it stands then: declined when it was ended. */
  readonly payment: Payment;
  /** Whether it was ended is not known yet: its release is under way. */
  readonly ending: boolean;
}

/**
 * Ends a payment that waits for the buyer's confirmation, so that another one may be tried. When it succeeded meanwhile it
 * cannot be ended: then its success is recorded.
 */
export async function giveUpPayment(deps: PaymentDeps, waiting: Payment, requestId: string | null): Promise<GivenUp> {
  const { account_id, order_id, amount_cents: amountCents, currency, processor, processor_reference } = waiting;
  if (processor_reference === null) throw new Error(`payment ${waiting.id} waits for the buyer without a reference`);
  const money = await readMoney(deps.database, account_id, order_id);
  const attempts = money.payments.filter(({ released_payment_id }) => released_payment_id === waiting.id);
  const begun = await beginPayment(deps, money, {
    step: 'release',
    releasedPaymentId: waiting.id,
    attemptNo: attempts.length + 1,
    amountCents,
    currency,
    processor,
    requestOf: (paymentId) => ({
      call: 'release',
      request: { paymentId, reference: processor_reference, amountCents, currency },
    }),
  });
  // Undefined: another replica releases it already, or it has ended.
  const release = begun === undefined ? undefined : await sendPayment(deps, begun, { requestId, released: waiting });
  if (release?.status === 'declined') await lookUpPayment(deps, waiting, { requestId });
  const payment = await readPayment(deps.database, waiting);
  return { payment, ending: payment.releasing };
}
