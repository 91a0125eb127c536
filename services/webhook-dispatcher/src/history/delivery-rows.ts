import type { RequestOutput } from '@app/contracts/define';
import { isId } from '@app/contracts/ids';
import type { DeliveryStatus, listDeliveries } from '@app/contracts/webhook-deliveries';
import { type ColumnsOf, statement } from '@app/service-kit/database';
import { withOne } from '@app/service-kit/planner';
import type { WaitReason } from '../deliveries/delivery-scheduler.ts';
import type { EndReason } from '../deliveries/end-reasons.rules.ts';
import type { heldForFailing } from '../deliveries/held-for-failing.rules.ts';
import { waitingSince } from '../deliveries/record-wait-reasons.ts';
import type { Role } from '../destinations/destination-kind.types.ts';
import { explainDiagnosis } from '../texts/diagnosis-texts.rules.ts';
import { type ReasonEndpoint, reasonText } from './reason.rules.ts';

export type DeliveryResource = RequestOutput<typeof listDeliveries>['data'][number];

const shared =
  'd.id, d.event_id, d.endpoint_id, d.event_name, d.test, d.status, d.attempts, d.recovery_id, d.created_at';
/** The same columns of both tables of deliveries, as `d`. */
export const liveColumns = `${shared}, case when d.status = 'held' then d.held_reason end as reason_code, null::timestamptz as finished_at, d.next_attempt_at, d.due`;
export const finishedColumns = `${shared}, d.reason as reason_code, d.finished_at, null::timestamptz as next_attempt_at, false as due`;

/** Deliveries by their ids, which are in one of both tables at any time; `wanted` has them. */
export const deliveriesById = `cross join lateral (
    select ${liveColumns} from deliveries d where d.account_id = $1 and d.id = wanted.id
    union all
    select ${finishedColumns} from finished_deliveries d where d.account_id = $1 and d.id = wanted.id
    limit 1) d`;

export interface ListedDeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly event_name: string;
  readonly test: boolean;
  readonly status: DeliveryStatus;
  /** The stored code of why it ended or is held; `reason` of the API is the sentence made of it. */
  readonly reason_code: EndReason | typeof heldForFailing | null;
  readonly attempts: number;
  readonly recovery_id: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  readonly next_attempt_at: Date | null;
  readonly due: boolean;
  readonly order_id: string | null;
  readonly email: string | null;
  /** Null for an event that has no number in the account's log. */
  readonly sequence: number | null;
  /** Null when the endpoint was removed. */
  readonly role: Role | null;
  readonly url: string | null;
  readonly active: boolean | null;
  readonly switched_off_reason: string | null;
  readonly switched_off_at: Date | null;
  readonly recovering: true | null;
  /** What the endpoint's deliveries wait for right now, beside a slot. */
  readonly wait_reason: WaitReason | null;
  readonly per_second: number | null;
  readonly failing_since: Date | null;
  readonly failing_attempts: number | null;
  readonly last_outcome: string | null;
  readonly last_url: string | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly last_diagnosis: string | null;
  readonly last_detail: string | null;
}

const rowColumns: ColumnsOf<ListedDeliveryRow> = {
  id: 'text',
  event_id: 'text',
  endpoint_id: 'text',
  event_name: 'text',
  test: 'bool',
  status: 'text',
  attempts: 'int4',
  recovery_id: 'text',
  created_at: 'timestamptz',
  reason_code: 'text',
  finished_at: 'timestamptz',
  next_attempt_at: 'timestamptz',
  due: 'bool',
  order_id: 'text',
  email: 'text',
  sequence: 'int8',
  role: 'text',
  url: 'text',
  active: 'bool',
  switched_off_reason: 'text',
  switched_off_at: 'timestamptz',
  recovering: 'bool',
  failing_since: 'timestamptz',
  failing_attempts: 'int4',
  last_outcome: 'text',
  last_url: 'text',
  wait_reason: 'text',
  per_second: 'int4',
  last_status: 'int4',
  last_error: 'text',
  last_diagnosis: 'text',
  last_detail: 'text',
};

/** How a page of deliveries or attempts is ordered. */
export interface PageOrder {
  readonly order?: string;
  /** What else the rows have, by which they are ordered. */
  readonly beside?: Readonly<Record<string, string>>;
}

/**
 * A statement that reads a page of deliveries together with what their reasons are made of. The last attempt of a
 * delivered one is looked up too, because a web page may have answered it. It cannot be older than the delivery: ids are compared by the part of
 * their time that counts 17 minutes, because the clocks of two replicas differ a little.
 * @param page selects rows with `liveColumns` or `finishedColumns`; `$1` is the account
 * @param order of the rows, which are `p`
 */
export const deliveriesStatement = (name: string, page: string, { order = 'p.id desc', beside = {} }: PageOrder = {}) =>
  statement<ListedDeliveryRow>(
    name,
    `with page as materialized (${page})
     select p.*, v.order_id, v.email, v.sequence, e.role, e.url, e.active, e.switched_off_reason, e.switched_off_at,
       (select true from recoveries where endpoint_id = p.endpoint_id and account_id = $1 and status = 'running' limit 1)
         as recovering,
       f.since as failing_since, f.attempts as failing_attempts, a.outcome as last_outcome, a.url as last_url,
       w.reason as wait_reason, w.per_second, a.status_code as last_status, a.error as last_error, a.diagnosis as last_diagnosis,
       a.diagnosis_detail as last_detail
     from page p
       ${withOne('select order_id, email, sequence from events where account_id = $1 and id = p.event_id', 'v')}
       ${withOne(
         `select role, url, active, switched_off_reason, switched_off_at from endpoints
         where id = p.endpoint_id and account_id = $1`,
         'e',
       )}
       ${withOne(
         `select reason, per_second from waiting_endpoints
         where p.status = 'pending' and endpoint_id = p.endpoint_id and account_id = $1 and at > ${waitingSince}`,
         'w',
       )}
       ${withOne('select since, attempts from failing_endpoints where endpoint_id = p.endpoint_id and account_id = $1', 'f')}
       ${withOne(
         `select outcome, url, status_code, error, diagnosis, diagnosis_detail from attempts
         where p.attempts > 0 and delivery_id = p.id and account_id = $1 and id > 'att_' || substr(p.id, 5, 6)
         order by id desc`,
         'a',
       )}
     order by ${order}`,
    { ...rowColumns, ...beside },
  );

export function deliveryResource(row: ListedDeliveryRow): DeliveryResource {
  // What is due waits for a slot, and the time since which it is due may be 30 days ago: a recovery keeps it.
  const nextAttemptAt = row.status === 'pending' && !row.due ? (row.next_attempt_at?.toISOString() ?? null) : null;
  const isEmail = isId('automation', row.endpoint_id) && row.url === null;
  return {
    id: row.id,
    event: row.event_name,
    event_id: row.event_id,
    order_id: row.order_id,
    email: row.email,
    endpoint_id: row.endpoint_id,
    url: row.role === null || isEmail ? row.last_url : row.url,
    status: row.status,
    reason: reasonText({
      status: row.status,
      reasonCode: row.reason_code,
      event: row.event_name,
      isTestSend: row.test && row.sequence === null,
      attempts: row.attempts,
      nextAttemptAt,
      isDue: row.due,
      inRecovery: row.recovery_id !== null,
      endpoint: endpointOf(row),
      waitReason: row.wait_reason,
      perSecond: row.per_second ?? 0,
      isAutomation: isId('automation', row.endpoint_id),
      lastFailure: lastFailureOf(row),
      warning: row.status === 'delivered' ? explainedLast(row) : null,
    }),
    attempt_count: row.attempts,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    next_attempt_at: nextAttemptAt,
    test: row.test,
  };
}

function endpointOf(row: ListedDeliveryRow): ReasonEndpoint | null {
  if (row.role === null) return null;
  const { failing_since: since, failing_attempts: attempts } = row;
  return {
    hasUrl: row.url !== null,
    active: row.active === true,
    isRecovering: row.recovering === true,
    switchedOffReason: row.switched_off_reason,
    switchedOffAt: row.switched_off_at?.toISOString() ?? null,
    failing: since === null || attempts === null ? null : { since: since.toISOString(), attempts },
  };
}

function lastFailureOf(row: ListedDeliveryRow): string | null {
  if (row.last_url === null && row.last_error === null && row.last_status === null) return null;
  if (row.last_outcome === 'delivered') return null;
  return explainedLast(row) ?? row.last_error ?? `the answer was ${row.last_status}`;
}

/** What was wrong with the last attempt, in a sentence or two; null when nothing was. */
function explainedLast(row: ListedDeliveryRow): string | null {
  const about = { url: row.last_url ?? '', statusCode: row.last_status, detail: row.last_detail };
  return explainDiagnosis(row.last_diagnosis, about)?.explanation ?? null;
}
