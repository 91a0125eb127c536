import type { EventData } from '@app/contracts/define';
import { remindersFinished } from '@app/contracts/reminders';
import { type EventHandler, onEvent, type ReceivedEvent } from '@app/messaging/event-handler';
import { idOfPart } from '@app/runs/run-for-each-account';
import { type Client, statement } from '@app/service-kit/database';
import { columnsOf, tableOf } from '@app/service-kit/row-arrays';

type Finished = ReceivedEvent<EventData<typeof remindersFinished>>;

const countTypes = {
  id: 'text',
  account_id: 'text',
  platform_run_id: 'text',
  finished_at: 'timestamptz',
  sent: 'int4',
  recovered: 'int4',
  problem: 'text',
};

/**
 * Of a run that billing has no row for yet, or had nothing to do for, a row is made: done 0 of 0. A command that joined a
 * run that was under way has its reminders with that run, added to what others sent for it; the first problem stays. What
 * names another account's run is dropped.
 */
const storeStatement = statement(
  'daily-runs-store-reminder-counts',
  `insert into daily_runs as r
     (id, account_id, platform_run_id, started_at, finished_at, done, left_to_do, recovery)
   select distinct on (run_id) run_id, recorded.account_id, recorded.platform_run_id, recorded.finished_at, recorded.finished_at, 0, 0,
     jsonb_build_object('sent', sent, 'recovered', recovered, 'problem', problem)
   from (
     select run_id, account_id, min(platform_run_id) as platform_run_id, max(finished_at) as finished_at,
       sum(sent) as sent, sum(recovered) as recovered,
       (array_agg(problem order by ordinality) filter (where problem is not null))[1] as problem
     from (
       select coalesce((select c.result ->> 'runId' from commands as c where c.id = rows.id), rows.id) as run_id, rows.*
       from ${tableOf(countTypes, 1, { numbered: true })}
     ) as named
     group by run_id, account_id
   ) as recorded left join daily_runs as d on d.id = run_id
   order by run_id, d.account_id = recorded.account_id desc
   on conflict (id) do update set recovery = jsonb_build_object(
       'sent', coalesce((r.recovery ->> 'sent')::int, 0) + (excluded.recovery ->> 'sent')::int,
       'recovered', coalesce((r.recovery ->> 'recovered')::int, 0) + (excluded.recovery ->> 'recovered')::int,
       'problem', coalesce(r.recovery ->> 'problem', excluded.recovery ->> 'problem'))
     where r.account_id = excluded.account_id`,
);

async function storeCounts(events: readonly Finished[], client: Client): Promise<void> {
  const rows = events.flatMap(({ accountId, data: { runId, platformRunId, finishedAt, sent, recovered, problem } }) => {
    const id = platformRunId === null ? runId : idOfPart(platformRunId, accountId);
    const run = { account_id: accountId, platform_run_id: platformRunId, finished_at: finishedAt };
    return id === null ? [] : [{ id, ...run, sent, recovered, problem }];
  });
  if (rows.length > 0) await client.query(storeStatement(columnsOf(rows, countTypes)));
}

/**
 * Stores what the reminders of a daily run did with the run: `recovery` is the published name. Each event is added once: the
 * inbox is written in the same transaction, and remembers it for longer than the stream has it.
 */
export const storeReminderCounts: EventHandler = onEvent(remindersFinished, storeCounts);
