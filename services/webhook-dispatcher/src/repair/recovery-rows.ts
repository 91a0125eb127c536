import type { RequestOutput } from '@app/contracts/define';
import type { getRecovery } from '@app/contracts/webhook-deliveries';
import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';

export type RecoveryResource = RequestOutput<typeof getRecovery>;

export interface RecoveryRow {
  readonly id: string;
  readonly endpoint_id: string;
  readonly kind: RecoveryResource['kind'];
  readonly which: RecoveryResource['which'];
  readonly since: Date | null;
  readonly until: Date;
  readonly status: RecoveryResource['status'];
  readonly total: number | null;
  readonly queued: number;
  readonly delivered: number;
  readonly failed: number;
  readonly per_second: number;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

const counted = (status: 'delivered' | 'failed'): string => `${status} + case when counts_final then 0 else (
  select count(*)::int from finished_deliveries f
  where f.recovery_id = recoveries.id and f.status = '${status}' and f.account_id = recoveries.account_id) end as ${status}`;

/** Of the resource. A recovery whose results are final (`counts_final`) has them in its row; for the others they are counted along an index. */
export const recoveryColumns = `id, endpoint_id, kind, which, since, until, status, total, queued,
  ${counted('delivered')}, ${counted('failed')}, per_second, created_at, finished_at`;

export function recoveryOf(row: RecoveryRow): RecoveryResource {
  return {
    ...row,
    since: row.since?.toISOString() ?? null,
    until: row.until.toISOString(),
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

/** What its columns return. */
export const recoveryRow: ColumnsOf<RecoveryRow> = {
  id: 'text',
  endpoint_id: 'text',
  kind: 'text',
  which: 'text',
  since: 'timestamptz',
  until: 'timestamptz',
  status: 'text',
  total: 'int4',
  queued: 'int4',
  delivered: 'int4',
  failed: 'int4',
  per_second: 'int4',
  created_at: 'timestamptz',
  finished_at: 'timestamptz',
};

const oneStatement = statement<RecoveryRow>(
  'recovery',
  `select ${recoveryColumns} from recoveries where account_id = $1 and id = $2`,
  recoveryRow,
);

/** The account's recovery; undefined when it has none of this id. */
export async function findRecovery(
  database: Database,
  accountId: string,
  recoveryId: string,
): Promise<RecoveryResource | undefined> {
  const { rows } = await database.pool.query(oneStatement([accountId, recoveryId]));
  return rows[0] && recoveryOf(rows[0]);
}
