import { hourMs } from '@app/contracts/durations';
import { idTimeMs } from '@app/contracts/ids';
import { beginPayment } from '../charging/attempt-store.ts';
import type { Hold, OrderMoney } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { recordAnswer } from '../charging/record-answer.ts';
import type { ProcessorRecord } from '../processors/port.ts';

const listLimitMs = 60_000;
/** Clocks differ: the processor may have recorded the hold, and its capture, a little earlier or later than this service. */
const overlapMs = hourMs;

/**
 * Records the capture of a hold that was made by a payment which is not recorded here, as before a backup was restored: the
 * processor's list has it, with the reference by which it can be given back.
 * @returns `recorded`, also where another replica was faster; `not listed` where the list was read and lacks it; `not read`
 * where the list could not be read
 */
export async function findCapture(
  deps: PaymentDeps,
  requestId: string | null,
  { hold, money, attemptNo }: { readonly hold: Hold; readonly money: OrderMoney; readonly attemptNo: number },
): Promise<'recorded' | 'not listed' | 'not read'> {
  const { reference, processor, currency, accountId, orderId } = hold;
  const found = await captureOf(deps, hold, money).catch((err: unknown) => {
    deps.logger.warn(
      { err, accountId, orderId },
      'the capture of a hold could not be looked up; the lookup will be retried',
    );
    return 'not read' as const;
  });
  if (found === undefined) return 'not listed';
  if (found === 'not read') return found;
  const { amountCents, recordedAt, paymentId } = found;
  // One of this order that was given up as never received has its end: the capture is recorded beside it.
  const isKnown = money.payments.some(({ id }) => id === paymentId);
  const payment = await beginPayment(deps, money, {
    step: 'capture',
    attemptNo,
    amountCents,
    currency,
    processor,
    ...(paymentId !== null && !isKnown && { id: paymentId }),
    requestOf: (id) => ({ call: 'capture', request: { paymentId: id, amountCents, currency, reference } }),
  });
  if (payment === undefined) return 'recorded';
  const outcome = { status: 'succeeded', reference: found.reference } as const;
  await recordAnswer(deps, payment, outcome, { requestId, seenBy: 'look-up' }, recordedAt.getTime());
  deps.logger.warn({ accountId, orderId, paymentId: payment.id }, 'a capture was found at the processor');
  return 'recorded';
}

async function captureOf(
  { processors, processorCalls, clock }: PaymentDeps,
  { accountId, processor: name, reference, paymentId, test }: Hold,
  { payments }: OrderMoney,
): Promise<ProcessorRecord | undefined> {
  const { processor, ...keys } = await processors.named(name, accountId, test);
  const held = payments.find(({ id }) => id === paymentId);
  // Where a restored database found the hold anew, its row is younger than its capture; its id has the order's time.
  const heldMs = Math.min(idTimeMs(paymentId), held?.createdAt.getTime() ?? clock.nowMs());
  const from = new Date(heldMs - overlapMs);
  const to = new Date(clock.nowMs() + overlapMs);
  return await processorCalls.make(
    async (signal) => {
      for await (const record of processor.list(from, to, { accountId, ...keys, test, signal })) {
        if (record.kind === 'capture' && record.status === 'succeeded' && record.about === reference) return record;
      }
      return undefined;
    },
    { limitMs: listLimitMs },
  );
}
