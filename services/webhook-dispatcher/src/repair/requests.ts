import * as contract from '@app/contracts/webhook-deliveries';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { cancelRecovery, getRecovery, listRecoveries } from './recoveries.ts';
import { type RedeliverDeps, redeliver } from './redeliver.ts';
import { type RecoveryDeps, startRecovery } from './start-recovery.ts';

export function repairRequests(deps: RedeliverDeps & RecoveryDeps): RequestHandler[] {
  const { database } = deps;
  return [
    onRequest(contract.redeliver, ({ deliveryId }, { accountId, commandId }) =>
      redeliver(deps, accountId, commandId, deliveryId),
    ),
    onRequest(contract.recover, (input, { accountId, commandId }) => startRecovery(deps, accountId, commandId, input)),
    onRequest(contract.getRecovery, ({ recoveryId }, { accountId }) => getRecovery(database, accountId, recoveryId)),
    onRequest(contract.listRecoveries, (page, { accountId }) => listRecoveries(database, accountId, page)),
    onRequest(contract.cancelRecovery, ({ recoveryId }, { accountId, commandId }) =>
      cancelRecovery(deps, accountId, recoveryId, commandId),
    ),
  ];
}
