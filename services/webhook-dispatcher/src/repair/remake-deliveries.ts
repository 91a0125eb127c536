import type { Clock } from '@app/service-kit/clock';
import { type Client, type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { recordOf } from '@app/service-kit/row-arrays';
import { insertFinished } from '../deliveries/finish-deliveries.ts';
import { kindOf } from '../destinations/destination-kind.rules.ts';
import type { Role } from '../destinations/destination-kind.types.ts';
import type { Partitions } from '../storage/partitions.ts';
import { type Remade, remadeAs } from './conservation.rules.ts';
import { lockRun } from './conservation-run.ts';
import { insertPending } from './pending-sql.ts';

/** Deliveries that one transaction makes again. */
const batchMax = 500;

const lostTypes: ColumnsOf<LostRow> = {
  account_id: 'text',
  id: 'text',
  event_id: 'text',
  endpoint_id: 'text',
  event_name: 'text',
  test: 'bool',
  created_at: 'timestamptz',
  is_back: 'bool',
  has_body: 'bool',
  role: 'text',
  url: 'text',
  events: 'text[]',
  attempts: 'int4',
};

/** One that is in a table again was made by another hand. */
const lostStatement = statement<LostRow>(
  'conservation-lost',
  `select l.account_id, l.id, l.event_id, l.endpoint_id, e.name as event_name, coalesce(e.test, false) as test,
     e.stored_at as created_at,
     exists (select from deliveries d where d.id = l.id)
       or exists (select from finished_deliveries f where f.account_id = l.account_id and f.id = l.id) as is_back,
     exists (select from event_bodies b where b.event_id = l.event_id and b.account_id = l.account_id) as has_body,
     p.role, p.url, p.events,
     (select coalesce(max(number), 0) from attempts a where a.delivery_id = l.id and a.account_id = l.account_id) as attempts
   from lost_deliveries l
     left join events e on e.account_id = l.account_id and e.id = l.event_id
     left join endpoints p on p.id = l.endpoint_id and p.account_id = l.account_id
   where l.id = any (array(select id from lost_deliveries where repaired_at is null order by id limit ${batchMax}))
     and l.repaired_at is null
   order by l.account_id, l.id`,
  lostTypes,
);

const { id, account_id, event_id, endpoint_id, event_name, test, attempts, created_at } = lostTypes;
const keptTypes = { id, account_id, event_id, endpoint_id, event_name, test, attempts, created_at };
/** Nothing says which recovery counted a lost row. */
const remadeTypes = { ...keptTypes, recovery_id: 'text', status: 'text', reason: 'text', priority: 'int2' };

/** A row that is back by now stays as it is. */
const remakeStatement = statement(
  'conservation-remake',
  `with remade as (
     select * from json_to_recordset($1::json) as r (${recordOf(remadeTypes)})
   ), waiting as (
     ${insertPending(`remade where status = 'pending' order by id`, {
       at: 'created_at',
       priority: 'priority',
       recoveryId: 'recovery_id',
     })}
     on conflict do nothing
   ), finished as (
     ${insertFinished(
       `remade where status in ('canceled', 'filtered', 'failed')`,
       { status: 'status', reason: 'reason', at: '$2' },
       'do nothing',
     )}
   ), repaired as (
     update lost_deliveries l set repaired_at = now(), became = coalesce(r.status, 'nothing')
     from remade r where l.account_id = r.account_id and l.id = r.id
   ), counted as (
     update conservation set repaired = repaired + (select count(*) from remade where status is not null)
   )
   update conservation_runs set repaired = repaired + (select count(*) from remade where status is not null)
   where id = $3`,
);

interface LostRow {
  readonly id: string;
  readonly account_id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly event_name: string | null;
  readonly test: boolean;
  readonly created_at: Date | null;
  readonly is_back: boolean;
  readonly has_body: boolean;
  readonly role: Role | null;
  readonly url: string | null;
  readonly events: readonly string[] | null;
  readonly attempts: number;
}

export interface RemakeDeps {
  readonly database: Database;
  readonly partitions: Partitions;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Makes deliveries again whose rows were found missing, also those that a process found which died before it made
 * them. Returns how many.
 */
export async function remakeDeliveries(deps: RemakeDeps, runId: number, closing: () => boolean): Promise<number> {
  let count = 0;
  while (!closing()) {
    const remade = await deps.database.transaction((client) => remakeBatch(deps, client, runId));
    count += remade.filter(({ status }) => status !== null).length;
    logRemade(deps.logger, runId, remade);
    if (remade.length < batchMax) break;
  }
  return count;
}

type RemadeRow = LostRow & { readonly status: Remade['status'] | null };

async function remakeBatch({ partitions, clock }: RemakeDeps, client: Client, runId: number): Promise<RemadeRow[]> {
  if ((await lockRun(client, runId)) === undefined) return [];
  const { rows } = await client.query(lostStatement());
  if (rows.length === 0) return [];
  await partitions.cover(rows.map(({ id }) => id));
  const remade = rows.map((row) => ({ ...row, ...(remadeAs(factsOf(row)) ?? { status: null }) }));
  await client.query(remakeStatement([JSON.stringify(remade), clock.now(), runId]));
  return remade;
}

const factsOf = ({ is_back: isBack, event_name: eventName, has_body: hasBody, role, url, events }: LostRow) => ({
  isBack,
  eventName,
  hasBody,
  endpoint: role === null ? null : { kind: kindOf(role), url, events },
});

function logRemade(logger: Logger, runId: number, remade: readonly RemadeRow[]): void {
  for (const [accountId, rows] of Map.groupBy(remade, (row) => row.account_id)) {
    const deliveries = rows.map(({ id, status }) => `${id} ${status ?? 'not needed'}`);
    logger.warn({ runId, accountId, deliveries }, 'recreated lost deliveries');
  }
}
