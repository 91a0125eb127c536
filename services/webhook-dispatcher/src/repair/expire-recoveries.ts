import { dayMs } from '@app/contracts/durations';
import { idFloor } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { recordKeepDays } from '../storage/partition.rules.ts';

/** They are few: a seller starts them by hand. One that is running is younger than what it sends. */
const deleteStatement = statement('recoveries-expire', `delete from recoveries where id < $1 and status <> 'running'`);

/** Deletes recoveries that are older than Recent activity. */
export async function expireRecoveries(database: Database, clock: Clock): Promise<void> {
  await database.pool.query(deleteStatement([idFloor('recovery', clock.nowMs() - recordKeepDays * dayMs)]));
}
