import type { RequestInput } from '@app/contracts/define';
import { dayMs } from '@app/contracts/durations';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { invalidField } from '@app/contracts/validation';
import type * as contract from '@app/contracts/webhook-deliveries';
import { runCommandOnce } from '@app/messaging/run-command-once';
import { executeBound } from '@app/service-kit/bound-sql';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';
import { isUrl } from '../destinations/destination-kind-sql.ts';
import { bodyKeepDays } from '../storage/partition.rules.ts';
import { unknownEndpoint } from '../texts/endpoint-errors.ts';
import { recoveryPerSecond } from './batch-size.rules.ts';
import { getRecovery } from './recoveries.ts';
import type { RecoveryResource } from './recovery-rows.ts';

export interface RecoveryDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Announces to every replica that there is a running recovery. */
  readonly announce: (endpointId: string) => void;
}

/** A shared lock: the endpoint is neither switched nor removed before the recovery is there. */
const endpointStatement = statement<{ url: string | null }>(
  'start-recovery-endpoint',
  `select url from endpoints
  where account_id = $1 and id = $2 and ${isUrl()} for share`,
  { url: 'text' },
);
const isRunningStatement = statement(
  'start-recovery-is-running',
  `select from recoveries where endpoint_id = $1 and account_id = $2 and status = 'running'`,
);
const insertStatement = statement<{ id: string }>(
  'start-recovery-insert',
  `insert into recoveries
    (id, account_id, endpoint_id, kind, which, since, until, per_second, created_at)
  values ($1, $2, $3, 'recover', $4, $5, $6, $7, $8)
  on conflict (endpoint_id, kind) where status = 'running' do nothing returning id`,
  { id: 'text' },
);

/**
 * Begins to send the stored deliveries of a time again to their endpoint; recovery-loop.ts does the rest.
 * @throws DomainError webhook_endpoint_not_found; validation_failed for a time before the bodies that are kept, or one
 * that ends before it begins; invalid_transition while a recovery of the endpoint is running, or it has no URL
 */
export async function startRecovery(
  deps: RecoveryDeps,
  accountId: string,
  commandId: string,
  { endpointId, body }: RequestInput<typeof contract.recover>,
): Promise<RecoveryResource> {
  const { id } = await runCommandOnce(deps.database.fork(), commandId, async (tx) => {
    const span = spanOf(body, deps.clock.nowMs());
    await requireEndpoint(tx, accountId, endpointId);
    const recoveryId = idOfCommand('recovery', commandId);
    const values = [recoveryId, accountId, endpointId, body.which, span.since, span.until, recoveryPerSecond];
    const inserted = await executeBound(tx, insertStatement([...values, deps.clock.now()]));
    if (inserted.length === 0) throw isRunning();
    return { id: recoveryId };
  });
  deps.announce(endpointId);
  return await getRecovery(deps.database, accountId, id);
}

function spanOf(
  body: { readonly since: string; readonly until?: string | undefined },
  nowMs: number,
): { since: Date; until: Date } {
  const since = Date.parse(body.since);
  const until = body.until === undefined ? nowMs : Math.min(nowMs, Date.parse(body.until));
  if (since < nowMs - bodyKeepDays * dayMs)
    throw invalidField('since', 'must be at most 30 days ago: bodies are kept no longer');
  if (since > nowMs) throw invalidField('since', 'must be in the past');
  if (until < since) throw invalidField('until', 'must not be before since');
  return { since: new Date(since), until: new Date(until) };
}

async function requireEndpoint(tx: EntityManager, accountId: string, endpointId: string): Promise<void> {
  const [endpoint] = await executeBound(tx, endpointStatement([accountId, endpointId]));
  if (endpoint === undefined) throw unknownEndpoint();
  if (endpoint.url === null) throw new DomainError('invalid_transition', 'No URL is connected to this endpoint yet.');
  if ((await executeBound(tx, isRunningStatement([endpointId, accountId]))).length > 0) throw isRunning();
}

const isRunning = (): DomainError =>
  new DomainError(
    'invalid_transition',
    'Another recovery of this endpoint is running: wait until it is done, or cancel it.',
  );
