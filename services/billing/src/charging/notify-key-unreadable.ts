import { dayMs } from '@app/contracts/durations';
import type { UnreadableKeyError } from '../processors/processor-registry.ts';
import { keyUnreadableKey } from '../processors/settings/processor-settings.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { keyUnreadableText } from './payment-notices.rules.ts';
import { notifyOfPayment } from './payment-notices.ts';

const againAfterMs = dayMs;

/** Notifies the operator, in the log, at each payment, and the account's seller once a day until the key is replaced. */
export async function notifyKeyUnreadable(deps: PaymentDeps, payment: Payment, err: UnreadableKeyError): Promise<void> {
  const { account_id: accountId, processor } = payment;
  deps.logger.error({ err, accountId, processor, paymentId: payment.id }, 'a payment could not be sent');
  const [key, text] = [keyUnreadableKey(processor), keyUnreadableText(processor)];
  await notifyOfPayment(deps, payment, { key, text, againAfterMs });
}
