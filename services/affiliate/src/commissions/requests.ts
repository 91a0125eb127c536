import * as contract from '@app/contracts/affiliates';
import { type Answer, answer, answerAcrossAccounts } from '@app/messaging/serve-requests';
import type { AffiliateDeps } from '../deps.ts';
import { listCommissions } from './list-commissions.ts';
import { resolveCredits } from './resolve-credits.ts';

export function commissionRequests({ database }: AffiliateDeps): Answer[] {
  return [
    answer(contract.listCommissions, (input, { accountId }) => listCommissions(database, accountId, input)),
    answerAcrossAccounts(contract.resolveCredits, ({ wanted }) => resolveCredits(database, wanted)),
  ];
}
