import { lookUpDeclined } from '../../charging/given-up-attempts.ts';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { namesPayment } from '../../ledger/facts.rules.ts';
import { reopenCharges } from '../../refunds/reopen-charges.ts';
import { recordFoundRefund } from '../unmatched-payments/record-found-refund.ts';
import { policyOf, type UnexplainedFact } from './books.rules.ts';
import type { Listed } from './reading.ts';
import { recordFoundRenewal } from './record-found-renewal.ts';

/** Does what the policy of a fact says that nothing here explains. Of rehearsals refunds alone are followed that failed. */
export async function actOn(deps: PaymentDeps, listed: Listed, unexplained: UnexplainedFact): Promise<void> {
  const { fact, own } = unexplained;
  const { processor, call } = listed;
  const policy = policyOf(unexplained);
  if (policy === 'reopen') {
    if (own !== undefined) await reopenCharges(deps, { ...own, message: fact.message });
    return;
  }
  if (call.test) return;
  if (policy === 'look up' && own !== undefined) await lookUpDeclined(deps, own);
  if (policy !== 'follow') return;
  if (fact.kind !== 'refund') await recordFoundRenewal(deps, listed, fact);
  else if (namesPayment(fact) || processor.findsMadeRefunds)
    await recordFoundRefund(deps, { accountId: call.accountId, processor: processor.name }, fact);
}
