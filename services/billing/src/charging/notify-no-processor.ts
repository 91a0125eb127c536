import type { NotDone } from '../processors/port.ts';
import { keyRefusedCode } from '../processors/refused-key.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import {
  keyRefusedText,
  noProcessorText,
  notPermittedText,
  requestRefusedKey,
  requestRefusedText,
} from './payment-notices.rules.ts';
import { notifyOfPayment } from './payment-notices.ts';

type Deps = Pick<PaymentDeps, 'database' | 'clock' | 'wakeRelay'>;

/** Notifies the seller once in a UTC day that a buyer could not pay, because the account has chosen no processor. */
export const notifyNoProcessor = (deps: Deps, payment: Payment): Promise<void> =>
  notifyOnceADay(deps, payment, 'no payment processor', noProcessorText);

/**
 * Notifies the seller once in a UTC day of what only they can mend: the processor does not accept the account's API key, the key lacks
 * a permission, or the processor takes no payments for the account. A daily run says each under the same key.
 */
export async function notifyUndone(deps: Deps, payment: Payment, { why, message }: NotDone): Promise<void> {
  const { processor } = payment;
  if (why === keyRefusedCode) await notifyOnceADay(deps, payment, keyRefusedCode, keyRefusedText(processor));
  if (why === 'request_refused') {
    await notifyOnceADay(deps, payment, requestRefusedKey, requestRefusedText(processor, message));
  }
  if (why === 'not_permitted') {
    await notifyOnceADay(deps, payment, `${keyRefusedCode} permissions`, notPermittedText(processor, [message]));
  }
}

async function notifyOnceADay(deps: Deps, payment: Payment, what: string, text: string): Promise<void> {
  await notifyOfPayment(deps, payment, { key: `${what} ${deps.clock.now().toISOString().slice(0, 10)}`, text });
}
