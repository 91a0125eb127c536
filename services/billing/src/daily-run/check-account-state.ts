import { dailyRunNoticed } from '@app/contracts/daily-runs';
import type { EventData } from '@app/contracts/define';
import { notifyOnce } from '@app/messaging/notify-once';
import { outboxRow } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { accountStoppedText, requestRefusedKey } from '../charging/payment-notices.rules.ts';
import { keyRefusedCode } from '../processors/key-refusal.ts';
import { NothingDoneError } from '../processors/port.ts';
import type { ProcessorName } from '../processors/processor-registry.ts';
import { stateValues } from '../processors/settings/stored-keys.ts';
import type { StripeProcessor } from '../processors/stripe/stripe-processor.ts';
import type { DailyStep } from '../runs/daily-step.ts';
import { mustEnd } from '../runs/refused-key.ts';

export interface AccountStateDeps extends PaymentDeps {
  readonly stripe: Pick<StripeProcessor, 'accountState'>;
}

const name: ProcessorName = 'stripe';

const storeStatement = statement(
  'processor-keys-account-state',
  `update processor_keys set charges_enabled = $4, disabled_reason = $5, requirements_due = $6, account_checked_at = $7
   where account_id = $1 and processor = $2 and not test and current and at_processor = coalesce($3, at_processor)`,
);

/**
 * Reads whether Stripe takes payments for the account, keeps it, and notifies the seller once in a UTC day where it does not; a payment
 * that Stripe refuses says it under the same key.
 * @returns what the seller has to know; undefined where Stripe takes payments, or where the account has no key or the key may not read it
 * @throws what the adapter throws
 */
export async function checkAccountState(deps: AccountStateDeps, accountId: string): Promise<string | undefined> {
  const { clock, database, wakeRelay } = deps;
  const { processor: _, earlierKeys: __, ...keys } = await deps.processors.named(name, accountId, false);
  if (keys.secretKey === undefined) return undefined;
  const found = await deps.processorCalls.make((signal, untimed) =>
    deps.stripe.accountState({ accountId, ...keys, test: false, signal, untimed, isBackground: true }),
  );
  const now = clock.now();
  await database.pool.query(
    storeStatement([accountId, name, found?.account ?? null, ...stateValues(found?.state ?? null), now]),
  );
  if (found === undefined || found.state.mayCharge) return undefined;
  const summary = accountStoppedText(found.state);
  const data: EventData<typeof dailyRunNoticed> = { code: 'failed', summary, orderId: null, test: false };
  const event = outboxRow(dailyRunNoticed, data, { accountId, requestId: null, nowMs: now.getTime() });
  const key = `${requestRefusedKey} ${now.toISOString().slice(0, 10)}`;
  if ((await notifyOnce(database.pool, [{ accountId, key, event }], { now })) > 0) wakeRelay();
  return summary;
}

/** The first step of a day: what Stripe wants is said before payments say that they are refused. What cannot be read stays as it was. */
export const checkAccountDaily =
  (deps: AccountStateDeps): DailyStep =>
  async (_, run, counts) => {
    if (run.test || mustEnd(run)) return;
    try {
      const detail = await checkAccountState(deps, run.accountId);
      if (detail !== undefined) counts.problems.push({ code: 'charges_disabled', detail });
    } catch (err) {
      if (err instanceof NothingDoneError && err.why === keyRefusedCode) run.keyRefusal.by ??= name;
      deps.logger.warn({ err, accountId: run.accountId }, 'the state of an account at Stripe could not be read');
    }
  };
