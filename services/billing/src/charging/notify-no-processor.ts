import { keyRefusedCode } from '../processors/refused-key.ts';
import { notifyOfPayment } from './notify-of-payment.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { keyRefusedText, noProcessorText } from './payment-notices.rules.ts';

type Deps = Pick<PaymentDeps, 'database' | 'clock' | 'wakeRelay'>;

/** Notifies the seller once in a UTC day that a buyer could not pay, because the account has chosen no processor. */
export const notifyNoProcessor = (deps: Deps, payment: Payment): Promise<void> =>
  notifyOnceADay(deps, payment, 'no payment processor', noProcessorText);

/** Notifies the seller once in a UTC day that the processor does not accept the account's API key; a daily run says it under the same key. */
export const notifyKeyRefused = (deps: Deps, payment: Payment): Promise<void> =>
  notifyOnceADay(deps, payment, keyRefusedCode, keyRefusedText(payment.processor));

async function notifyOnceADay(deps: Deps, payment: Payment, what: string, text: string): Promise<void> {
  await notifyOfPayment(deps, payment, { key: `${what} ${deps.clock.now().toISOString().slice(0, 10)}`, text });
}
