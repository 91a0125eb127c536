import { type Client, type ColumnsOf, statement } from '@app/service-kit/database';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import { type LostRow, type Proof, statuses } from './prove-ranges.ts';

const columns = ['events', 'older_events', 'deliveries', ...statuses, 'gap', 'lost_events'] as const;

const addToRunStatement = statement(
  'conservation-run-add',
  `update conservation_runs set accounts = accounts + $2,
     ${columns.map((column, index) => `${column} = ${column} + $${index + 3}`).join(', ')}
   where id = $1`,
);

const gapTypes = {
  account_id: 'text',
  first_sequence: 'int8',
  last_sequence: 'int8',
  events: 'int4',
  deliveries: 'int4',
  ...Object.fromEntries(statuses.map((status) => [status, 'int4'])),
  gap: 'int4',
  lost_events: 'int4',
};
const gapColumns = namesOf(gapTypes);
const foundTypes = { ...gapTypes, lost: 'json', sequences: 'int8[]' };
const lostTypes: ColumnsOf<LostRow> = { id: 'text', event_id: 'text', endpoint_id: 'text' };

/** A delivery that was lost, made again and is lost once more counts once more. */
const recordGapsStatement = statement(
  'conservation-gaps-record',
  `with gap as (
     select * from json_to_recordset($2::json) as g (${recordOf(foundTypes)})
   ), gaps as (
     insert into conservation_gaps (run_id, ${gapColumns}) select $1, ${gapColumns} from gap
   ), deliveries as (
     insert into lost_deliveries (account_id, ${namesOf(lostTypes)}, run_id)
     select g.account_id, ${namesOf(lostTypes, 'l')}, $1
     from gap g cross join lateral json_to_recordset(g.lost) as l (${recordOf(lostTypes)})
     on conflict (account_id, id) do update set run_id = excluded.run_id, found_at = excluded.found_at,
       repaired_at = null, became = null
     where lost_deliveries.repaired_at is not null
   )
   insert into lost_events (account_id, sequence, run_id)
   select account_id, unnest(sequences), $1 from gap
   on conflict do nothing`,
);

/** Adds what was proved to the run, and remembers what is lost, in the transaction of the proof. */
export async function recordProofs(
  client: Client,
  runId: number,
  proofs: readonly Proof[],
  { older }: { older: boolean },
): Promise<void> {
  const sum = (of: (proof: Proof) => number) => proofs.reduce((total, proof) => total + of(proof), 0);
  const events = sum((proof) => proof.events);
  await client.query(
    addToRunStatement([
      ...[runId, older ? 0 : proofs.length, older ? 0 : events, older ? events : 0],
      sum((proof) => proof.deliveries),
      ...statuses.map((status) => sum((proof) => proof.counts[status])),
      ...[sum((proof) => proof.lost.length), sum((proof) => proof.lostEvents.length)],
    ]),
  );
  const gaps = proofs.filter(isGap);
  if (gaps.length > 0) await client.query(recordGapsStatement([runId, JSON.stringify(gaps.map(gapRow))]));
}

export const isGap = ({ lost, lostEvents }: Proof): boolean => lost.length + lostEvents.length > 0;

const gapRow = ({ range, events, deliveries, counts, lost, lostEvents }: Proof) => ({
  account_id: range.accountId,
  first_sequence: range.low + 1,
  last_sequence: range.high,
  events,
  deliveries,
  ...counts,
  lost,
  gap: lost.length,
  lost_events: lostEvents.length,
  sequences: lostEvents,
});
