import { DomainError } from '@app/contracts/errors';
import type { HoldResult } from '@app/contracts/payments';
import type { Attempt } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { readMoney } from '../charging/payment-store.ts';
import type { Caller } from '../charging/start-payment.ts';
import { advanceHold } from '../holds/advance-hold.ts';
import { decideRelease } from '../holds/decide-release.ts';
import { holdResultOf } from '../holds/hold.rules.ts';
import { endLackedHold } from '../reconciliation/lacked-hold.ts';
import { lookUpOverdue } from './look-up-overdue.ts';

/**
 * Ends a hold without a charge, as its seller wants. The decision is stored before the processor is called: from then on nothing of the
 * hold is captured or charged here, whatever dies. Of a hold that a payment takes money of, or may, nothing is changed. A request that is repeated
 * after the processor refused it tries again.
 * @param attempt that the card is held for: it is looked up where this database has no hold of it
 * @throws DomainError invalid_transition for an order that has no hold, and where it is not known whether the card is held
 */
export async function releaseHold(
  deps: PaymentDeps,
  caller: Caller,
  orderId: string,
  attempt?: Attempt,
): Promise<HoldResult> {
  const { accountId } = caller;
  const decide = async () => {
    await decideRelease(deps, accountId, orderId);
    return (await readMoney(deps.database, accountId, orderId)).hold;
  };
  let hold = await decide();
  if (hold === null && attempt !== undefined) {
    await endLackedHold(deps, caller, attempt);
    hold = await decide();
  }
  // The card was held between the decision and the reading of the hold.
  if (hold?.status === 'held') hold = await decide();
  if (hold === null) {
    throw new DomainError('invalid_transition', `The order "${orderId}" has no hold that could be released.`);
  }
  const isReleasing = hold.status === 'settling' && hold.decision === 'released';
  if (!isReleasing) return holdResultOf(hold);
  const advance = () => advanceHold(deps, caller, orderId, { retryCapture: true });
  const advanced = (await deps.orderMutex.run(accountId, orderId, advance))?.hold ?? hold;
  return holdResultOf(advanced.status === 'settling' ? await lookUpOverdue(deps, caller, advanced) : advanced);
}
