import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { givenUpText } from '../activity/activity.rules.ts';
import { insertNotices, newNotice } from '../activity/notices.ts';
import { type Step, statementOf, steps, untilOf } from './steps.ts';

/** Rows looked at in one transaction: some 20 ms. */
const batchMax = 1_000;

/** Another replica that is at the same step is left to it. */
const progressStatement = statement(
  'retention-progress',
  'select done_until from retention where step = $1 for update skip locked',
);
const advanceStatement = statement('retention-advance', 'update retention set done_until = $2 where step = $1');

interface StepRow {
  readonly last: string | null;
  /** Of deliveries that were given up, by endpoint. */
  readonly account_id?: string | null;
  readonly url?: string | null;
  readonly count?: number;
  readonly oldest?: Date;
  readonly newest?: Date;
}

/** Forgets what has had its time, batch by batch; each batch and how far it came are one transaction. */
export async function forgetOutdated(database: Database, clock: Clock, isClosing = () => false): Promise<void> {
  for (const step of steps) while (!isClosing() && (await forgetBatch(database, clock, step)));
}

async function forgetBatch(database: Database, clock: Clock, step: Step): Promise<boolean> {
  return await database.transaction(async (client) => {
    const progress = await client.query<{ done_until: string }>(progressStatement([step.name]));
    const after = progress.rows[0]?.done_until;
    if (after === undefined) return false;
    const { rows } = await client.query<StepRow>(statementOf(step)([after, untilOf(step, clock.nowMs()), batchMax]));
    const last = rows[0]?.last ?? null;
    await tellGivenUp(client, clock, rows);
    if (last === null) return false;
    await client.query(advanceStatement([step.name, last]));
    return true;
  });
}

async function tellGivenUp(client: Client, clock: Clock, rows: readonly StepRow[]): Promise<void> {
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
