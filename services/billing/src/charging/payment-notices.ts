import type { EventData } from '@app/contracts/define';
import { dayMs } from '@app/contracts/durations';
import { paymentNoticed } from '@app/contracts/payments';
import { type NotifyOnceOptions, notifyOnce } from '@app/messaging/notify-once';
import { type OutboxRow, outboxRow } from '@app/messaging/outbox';
import type { Client } from '@app/service-kit/database';
import { keyRefusedCode } from '../processors/key-refusal.ts';
import type { NotDone } from '../processors/port.ts';
import type { UnreadableKeyError } from '../processors/processor-registry.ts';
import { keyUnreadableKey } from '../processors/settings/processor-settings.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import {
  keyRefusedText,
  keyUnreadableText,
  noProcessorText,
  notPermittedText,
  notReceivedText,
  requestRefusedKey,
  requestRefusedText,
} from './payment-notices.rules.ts';
import { countNotReceived } from './payment-store.ts';

interface PaymentNotification extends Omit<NotifyOnceOptions, 'now'> {
  /** One notification is sent for the same words here. */
  readonly key: string;
  readonly text: string;
  readonly emailed?: Emailed | undefined;
}

/** Of what the seller gets an email as well. */
type Emailed = Pick<EventData<typeof paymentNoticed>, 'code' | 'lacksPermission'>;

/**
 * Notifies the seller of a payment, once for each key.
 * @param client of the transaction that the notification is a part of, if there is one
 */
export async function notifyOfPayment(
  { database, clock, wakeRelay }: Pick<PaymentDeps, 'database' | 'clock' | 'wakeRelay'>,
  payment: Payment,
  { key, text, emailed, ...options }: PaymentNotification,
  client: Pick<Client, 'query'> = database.pool,
): Promise<void> {
  const { accountId } = payment;
  const now = clock.now();
  const event = noticeEvent(payment, text, { accountId, requestId: null, nowMs: now.getTime() }, emailed);
  if ((await notifyOnce(client, [{ accountId, key, event }], { now, ...options })) > 0) wakeRelay();
}

export interface PaymentEventSource {
  readonly accountId: string;
  readonly requestId: string | null;
  readonly nowMs: number;
}

/** What the seller has to know, in plain words. */
export function noticeEvent(
  about: Pick<Payment, 'orderId' | 'test'>,
  summary: string,
  source: PaymentEventSource,
  emailed: Emailed = {},
): OutboxRow {
  const data = { orderId: about.orderId, summary, test: about.test, ...emailed };
  return outboxRow(paymentNoticed, data, source);
}

type Deps = Pick<PaymentDeps, 'database' | 'clock' | 'wakeRelay'>;

/** Notifies the seller once in a UTC day that a buyer could not pay, because the account has chosen no processor. */
export const notifyNoProcessor = (deps: Deps, payment: Payment): Promise<void> =>
  notifyOnceADay(deps, payment, 'no payment processor', noProcessorText);

/**
 * Notifies the seller once in a UTC day of what only they can mend: the processor does not accept the account's API key, the key lacks
 * a permission, or the processor takes no payments for the account. A daily run says each under the same key. Test purchases have a key of
 * their own at the processor: what is wrong with it says nothing of the live one, and is said apart.
 */
export async function notifyUndone(deps: Deps, payment: Payment, { why, message }: NotDone): Promise<void> {
  const { processor, test } = payment;
  if (why === keyRefusedCode)
    await notifyOnceADay(deps, payment, why, keyRefusedText(processor, test), { code: keyRefusedCode });
  if (why === 'request_refused') {
    await notifyOnceADay(deps, payment, requestRefusedKey, requestRefusedText(processor, message));
  }
  if (why === 'not_permitted') {
    const text = notPermittedText(processor, [message], test);
    const emailed = { code: keyRefusedCode, lacksPermission: true } as const;
    await notifyOnceADay(deps, payment, `${keyRefusedCode} permissions`, text, emailed);
  }
}

async function notifyOnceADay(
  deps: Deps,
  payment: Payment,
  what: string,
  text: string,
  emailed?: Emailed,
): Promise<void> {
  const today = deps.clock.now().toISOString().slice(0, 10);
  await notifyOfPayment(deps, payment, { key: `${what} ${payment.test ? 'test ' : ''}${today}`, text, emailed });
}

const againAfterMs = dayMs;

/** Notifies the operator, in the log, at each payment, and the account's seller once a day until the key is replaced. */
export async function notifyKeyUnreadable(deps: PaymentDeps, payment: Payment, err: UnreadableKeyError): Promise<void> {
  const { accountId, processor } = payment;
  deps.logger.error({ err, accountId, processor, paymentId: payment.id }, 'a payment could not be sent');
  const [key, text] = [keyUnreadableKey(processor), keyUnreadableText(processor)];
  await notifyOfPayment(deps, payment, { key, text, againAfterMs });
}

const timesInARow = 3;

/** Notifies the seller of a renewal that the processor did not get, or did nothing with, three times in a row: once for each period. */
export async function notifyNotReceived(deps: PaymentDeps, payment: Payment): Promise<void> {
  const { orderId, period } = payment;
  if ((await countNotReceived(deps.database, payment, timesInARow)) < timesInARow) return;
  const key = `renewal not received ${orderId} ${period}`;
  await notifyOfPayment(deps, payment, { key, text: notReceivedText(payment) });
}
