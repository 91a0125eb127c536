import { type Database, statement } from '@app/service-kit/database';
import { partitionsOf } from '../storage/partition.rules.ts';
import type { Partitions } from '../storage/partitions.ts';

/** Columns of a live delivery that a finished one keeps, for `returning`. */
const kept = ['id', 'account_id', 'event_id', 'endpoint_id', 'event_name', 'test', 'recovery_id', 'created_at'];

/** What a statement that deletes from `deliveries d` returns beside the attempts, so that `insertFinished` can insert it. */
export const keptColumnsExceptAttempts = kept.map((column) => `d.${column}`).join(', ');
export const keptColumns = `${keptColumnsExceptAttempts}, d.attempts`;

const overwrite = `do update set status = excluded.status, reason = excluded.reason,
    attempts = excluded.attempts, recovery_id = excluded.recovery_id, finished_at = excluded.finished_at`;

/**
 * The part of a statement that stores deliveries as finished; another part deletes them from `deliveries`, so a delivery
 * is in exactly one of the two tables at any time. A row of a delivery that was finished before and then sent again is
 * overwritten.
 * @param from where the rows are, with their kept columns
 * @param values expressions for the new columns
 * @param onConflict what becomes of a row that is there: it is overwritten, unless this says otherwise
 */
export const insertFinished = (
  from: string,
  { status, reason, at }: { status: string; reason: string; at: string },
  onConflict: string = overwrite,
): string => `insert into finished_deliveries (${kept.join(', ')}, attempts, status, reason, finished_at)
  select ${kept.join(', ')}, attempts, ${status}, ${reason}, ${at} from ${from} order by account_id, id
  on conflict (account_id, id) ${onConflict}`;

const nextStatement = statement<{ id: string }>(
  'deliveries-next',
  'select id from deliveries where id >= $1 order by id limit 1',
  { id: 'text' },
);

/**
 * Runs statements that finish deliveries whose ids only the statements know. Their partitions were made when they were
 * stored. Should one be missing all the same, the work would fail for ever, and with it that of other accounts: then
 * those of all live deliveries are made, and the work runs once more.
 * @param work changes nothing when it fails
 */
export async function finishDeliveries<Result>(
  { database, partitions }: { readonly database: Database; readonly partitions: Partitions },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (err) {
    if (!partitions.forgetAfter(err)) throw err;
    await coverLive(database, partitions);
    return await work();
  }
}

/** Reads one row of each month. */
async function coverLive(database: Database, partitions: Partitions): Promise<void> {
  let from = '';
  for (;;) {
    const [next] = (await database.pool.query(nextStatement([from]))).rows;
    if (next === undefined) return;
    await partitions.cover([next.id]);
    for (const { ceiling } of partitionsOf(next.id)) from = ceiling;
  }
}
