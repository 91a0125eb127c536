import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type * as contract from '@app/contracts/webhook-deliveries';
import { runCommandOnce } from '@app/messaging/run-command-once';
import { executeBound } from '@app/service-kit/bound-sql';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { pagedList } from '@app/service-kit/paging';
import {
  findRecovery,
  type RecoveryResource,
  type RecoveryRow,
  recoveryColumns,
  recoveryOf,
  recoveryRow,
} from './recovery-rows.ts';

/** A release that found test sends and filtered events alone sent nothing. A caller with its id reads that it is done. */
const filter = `not (kind = 'held' and status = 'done' and total = 0)`;
const ofAccount = pagedList<RecoveryRow>({
  name: 'recoveries',
  table: 'recoveries',
  row: recoveryRow,
  columns: recoveryColumns,
  scope: ['account_id'],
  filter,
});
const ofEndpoint = pagedList<RecoveryRow>({
  name: 'recoveries-of-endpoint',
  table: 'recoveries',
  row: recoveryRow,
  columns: recoveryColumns,
  scope: ['account_id', 'endpoint_id'],
  filter,
});

/** The account's recoveries, newest first, of one endpoint or of all, but for releases that had nothing to send. */
export async function listRecoveries(
  database: Database,
  accountId: string,
  { endpointId, ...page }: RequestInput<typeof contract.listRecoveries>,
): Promise<RequestOutput<typeof contract.listRecoveries>> {
  const found = await (endpointId === undefined
    ? ofAccount(database, [accountId], page)
    : ofEndpoint(database, [accountId, endpointId], page));
  return { ...found, data: found.data.map(recoveryOf) };
}

/** @throws DomainError recovery_not_found */
export async function getRecovery(
  database: Database,
  accountId: string,
  recoveryId: string,
): Promise<RecoveryResource> {
  const recovery = await findRecovery(database, accountId, recoveryId);
  if (recovery === undefined) throw new DomainError('recovery_not_found', 'No recovery has this id.');
  return recovery;
}

const cancelStatement = statement<{ id: string }>(
  'recoveries-cancel',
  `update recoveries set status = 'canceled', finished_at = $3
  where account_id = $1 and id = $2 and status = 'running' returning id`,
  { id: 'text' },
);
const isDoneStatement = statement(
  'recoveries-is-done',
  `select from recoveries where account_id = $1 and id = $2 and status = 'done'`,
);

/**
 * Ends a recovery; what it has enqueued is sent, what was held stays held. One that is canceled already stays so.
 * @throws DomainError recovery_not_found, invalid_transition when it is done
 */
export async function cancelRecovery(
  deps: { readonly database: Database; readonly clock: Clock },
  accountId: string,
  recoveryId: string,
  commandId: string,
): Promise<RecoveryResource> {
  const { database, clock } = deps;
  await runCommandOnce(database.fork(), commandId, async (tx) => {
    const canceled = await executeBound(tx, cancelStatement([accountId, recoveryId, clock.now()]));
    if (canceled.length === 0 && (await executeBound(tx, isDoneStatement([accountId, recoveryId]))).length > 0)
      throw new DomainError('invalid_transition', 'A recovery that is done cannot be cancelled.');
    return {};
  });
  return await getRecovery(database, accountId, recoveryId);
}
