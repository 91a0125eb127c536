import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { givenUpText } from '../activity/activity.rules.ts';
import { insertNotices, newNotice } from '../activity/notices.ts';
import { cutoffId, type Step, stepStatement, steps } from './steps.ts';

/** Rows that one transaction looks at, which takes about 20 ms. */
const batchMax = 1_000;

/** A step that another replica is running is skipped. */
const progressStatement = statement(
  'retention-progress',
  'select done_until from retention where step = $1 for update skip locked',
);
const advanceStatement = statement('retention-advance', 'update retention set done_until = $2 where step = $1');

interface StepRow {
  readonly last: string | null;
  /** The given-up deliveries of one endpoint. */
  readonly account_id?: string | null;
  readonly url?: string | null;
  readonly count?: number;
  readonly oldest?: Date;
  readonly newest?: Date;
}

/** Deletes or clears expired rows in batches. A transaction covers each batch together with the progress of its step. */
export async function applyRetention(database: Database, clock: Clock, isClosing = () => false): Promise<void> {
  for (const step of steps) while (!isClosing() && (await runBatch(database, clock, step)));
}

async function runBatch(database: Database, clock: Clock, step: Step): Promise<boolean> {
  return await database.transaction(async (client) => {
    const progress = await client.query<{ done_until: string }>(progressStatement([step.name]));
    const after = progress.rows[0]?.done_until;
    if (after === undefined) return false;
    const { rows } = await client.query<StepRow>(stepStatement(step)([after, cutoffId(step, clock.nowMs()), batchMax]));
    const last = rows[0]?.last ?? null;
    await insertGivenUpNotices(client, clock, rows);
    if (last === null) return false;
    await client.query(advanceStatement([step.name, last]));
    return true;
  });
}

async function insertGivenUpNotices(client: Client, clock: Clock, rows: readonly StepRow[]): Promise<void> {
  const notices = rows.flatMap(({ account_id: accountId, url, count, oldest, newest }) =>
    accountId && count && oldest && newest
      ? [
          newNotice(clock, {
            accountId,
            summary: givenUpText(url ?? null, count, oldest, newest),
            ...(url ? { url } : {}),
          }),
        ]
      : [],
  );
  if (notices.length > 0) await client.query(insertNotices([JSON.stringify(notices)]));
}
