import type { EventData } from '@app/contracts/define';
import { remindersFinished } from '@app/contracts/reminders';
import { type EventHandler, onEvent, type ReceivedEvent } from '@app/messaging/event-handler';
import { idOfPart } from '@app/messaging/run-for-each-account';
import { type Client, statement } from '@app/service-kit/database';

type Finished = ReceivedEvent<EventData<typeof remindersFinished>>;

/**
 * Of a run that billing has no row for yet, or had nothing to do for, a row is made: done 0 of 0. A command that joined a
 * run that was under way has its reminders with that run.
 */
const storeStatement = statement(
  'daily-runs-store-reminder-counts',
  `insert into daily_runs as r
     (id, account_id, platform_run_id, started_at, finished_at, done, left_to_do, recovery)
   select distinct on (run_id) run_id, account_id, platform_run_id, finished_at, finished_at, 0, 0,
     json_build_object('sent', sent, 'recovered', recovered, 'problem', problem)
   from (
     select coalesce((select c.result ->> 'runId' from commands as c where c.id = told.id), told.id) as run_id, told.*
     from json_to_recordset($1::json) as told (id text, account_id text, platform_run_id text, finished_at timestamptz,
       sent integer, recovered integer, problem text)
   ) as named
   order by run_id
   on conflict (id) do update set recovery = excluded.recovery where r.account_id = excluded.account_id`,
);

async function storeCounts(events: readonly Finished[], client: Client): Promise<void> {
  const rows = events.flatMap(
    ({ accountId, data: { runId, platformRunId, finishedAt, sent, recovered, problem = null } }) => {
      const id = platformRunId === null ? runId : idOfPart(platformRunId, accountId);
      const run = { account_id: accountId, platform_run_id: platformRunId, finished_at: finishedAt };
      return id === null ? [] : [{ id, ...run, sent, recovered, problem }];
    },
  );
  if (rows.length > 0) await client.query(storeStatement([JSON.stringify(rows)]));
}

/** Stores what the reminders of a daily run did with the run: `recovery` is the published name. */
export const storeReminderCounts: EventHandler = onEvent(remindersFinished, storeCounts);
