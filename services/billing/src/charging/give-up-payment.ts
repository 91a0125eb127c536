import { beginPayment, type NextPayment } from './attempt-store.ts';
import { lookUpPayment } from './look-up-payment.ts';
import type { OrderMoney, Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { readMoney, readPayment } from './payment-store.ts';
import { sendPayment } from './send-payment.ts';

interface GivenUp {
  /** As it stands then: declined when it was ended. */
  readonly payment: Payment;
  /** Whether it was ended is not known yet: its release is under way. */
  readonly ending: boolean;
}

/**
 * Ends a payment that waits for the buyer's confirmation, so that another one may be tried. When it succeeded meanwhile it
 * cannot be ended: then its success is recorded. A renewal ends by the look-up that follows its release.
 */
export async function giveUpPayment(deps: PaymentDeps, waiting: Payment, requestId: string | null): Promise<GivenUp> {
  const begun = await beginRelease(deps, waiting);
  // Undefined: another replica releases it already, or it has ended.
  const release = begun === undefined ? undefined : await sendPayment(deps, begun, { requestId, released: waiting });
  const isLookedUp = release?.status === 'declined' || (release?.status === 'succeeded' && waiting.step === 'renewal');
  if (isLookedUp) await lookUpPayment(deps, waiting, { requestId });
  const payment = await readPayment(deps.database, waiting);
  return { payment, ending: payment.releasing };
}

/** What else is written of the order at the same moment, as another card, keeps a release out. */
const roundsMax = 4;

async function beginRelease(deps: PaymentDeps, waiting: Payment): Promise<Payment | undefined> {
  for (let round = 0; round < roundsMax; round += 1) {
    const { accountId, orderId, id } = waiting;
    const money = await readMoney(deps.database, accountId, orderId);
    const now = money.payments.find((payment) => payment.id === id);
    if (now?.status !== 'requires_action' || now.releasing) return undefined;
    const begun = await beginPayment(deps, money, releaseOf(waiting, money));
    if (begun !== undefined) return begun;
  }
  return undefined;
}

function releaseOf(waiting: Payment, { payments }: OrderMoney): NextPayment {
  const { amountCents, currency, processor, processorReference } = waiting;
  if (processorReference === null) throw new Error(`payment ${waiting.id} waits for the buyer without a reference`);
  const attempts = payments.filter(({ releasedPaymentId }) => releasedPaymentId === waiting.id);
  return {
    step: 'release',
    releasedPaymentId: waiting.id,
    attemptNo: attempts.length + 1,
    amountCents,
    currency,
    processor,
    requestOf: (paymentId) => ({
      call: 'release',
      request: { paymentId, reference: processorReference, amountCents, currency },
    }),
  };
}
