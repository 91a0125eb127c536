import type { RequestOutput } from '@app/contracts/define';
import type * as contract from '@app/contracts/webhook-deliveries';
import { type ColumnsOf, statement } from '@app/service-kit/database';
import { withOne } from '@app/service-kit/planner';
import type { PageOrder } from '../history/delivery-rows.ts';
import { type ActivityStatus, attemptText } from '../texts/activity.rules.ts';
import { explainDiagnosis } from '../texts/diagnosis-texts.rules.ts';

export type ActivityList = RequestOutput<typeof contract.listActivity>;
export type ActivityEntry = ActivityList['data'][number];

/** Columns of `attempts a` of which entries are made. */
export const attemptColumns = `a.id, a.created_at, a.delivery_id, a.endpoint_id, a.event_name, a.number, a.url,
  a.status_code, a.duration_ms, a.error, a.diagnosis, a.diagnosis_detail, a.response_excerpt, a.outcome, a.next_attempt_at`;

export interface AttemptRow {
  readonly id: string;
  readonly created_at: Date;
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly event_name: string;
  readonly number: number;
  readonly url: string | null;
  readonly status_code: number | null;
  readonly duration_ms: number;
  readonly error: string | null;
  readonly diagnosis: string | null;
  readonly diagnosis_detail: string | null;
  readonly response_excerpt: string | null;
  readonly outcome: ActivityStatus;
  readonly next_attempt_at: Date | null;
  readonly event_id: string | null;
  readonly test: boolean | null;
  readonly order_id: string | null;
  readonly email: string | null;
}

const rowColumns: ColumnsOf<AttemptRow> = {
  id: 'text',
  created_at: 'timestamptz',
  delivery_id: 'text',
  endpoint_id: 'text',
  event_name: 'text',
  number: 'int4',
  url: 'text',
  status_code: 'int4',
  duration_ms: 'int4',
  error: 'text',
  diagnosis: 'text',
  diagnosis_detail: 'text',
  response_excerpt: 'text',
  outcome: 'text',
  next_attempt_at: 'timestamptz',
  event_id: 'text',
  test: 'bool',
  order_id: 'text',
  email: 'text',
};

/**
 * A statement that reads attempts together with what their events say. `$1` is the account; the rows are `p`.
 */
export const attemptsStatement = (name: string, page: string, { order = 'p.id desc', beside = {} }: PageOrder = {}) =>
  statement<AttemptRow>(
    name,
    `with page as materialized (${page})
     select p.*, d.event_id, d.test, v.order_id, v.email
     from page p
       ${withOne(
         `select event_id, test from deliveries where account_id = $1 and id = p.delivery_id
         union all
         select event_id, test from finished_deliveries where account_id = $1 and id = p.delivery_id`,
         'd',
       )}
       ${withOne('select order_id, email from events where account_id = $1 and id = d.event_id', 'v')}
     order by ${order}`,
    { ...rowColumns, ...beside },
  );

/** @param body the event's payload as JSON; undefined once it is deleted */
export function attemptEntry(row: AttemptRow, body: string | undefined): ActivityEntry {
  const nextAttemptAt = row.next_attempt_at?.toISOString() ?? null;
  const delivered = row.outcome === 'delivered';
  const about = { url: row.url ?? '', statusCode: row.status_code, detail: row.diagnosis_detail };
  const diagnosis = explainDiagnosis(row.diagnosis, about);
  return {
    id: row.id,
    kind: row.endpoint_id.startsWith('aut_') ? 'automation_attempt' : 'webhook_attempt',
    created_at: row.created_at.toISOString(),
    summary: attemptText({
      event: row.event_name,
      url: row.url ?? '',
      number: row.number,
      statusCode: row.status_code,
      durationMs: row.duration_ms,
      error: row.error,
      diagnosis: diagnosis?.explanation ?? null,
      outcome: row.outcome,
      nextAttemptAt,
    }),
    event: row.event_name,
    event_id: row.event_id,
    delivery_id: row.delivery_id,
    endpoint_id: row.endpoint_id,
    order_id: row.order_id,
    url: row.url,
    attempt: row.number,
    status: delivered ? 'delivered' : 'failed',
    status_code: row.status_code,
    duration_ms: row.duration_ms,
    response_excerpt: row.response_excerpt,
    error: row.error,
    diagnosis,
    next_attempt_at: nextAttemptAt,
    test: row.test ?? false,
    email: row.email,
    ...aboutPayload(body),
  };
}

/** What a line of the list says of the event. */
function aboutPayload(body: string | undefined): Pick<ActivityEntry, 'product' | 'amount_cents' | 'currency'> {
  const payload: Readonly<Record<string, unknown>> = body === undefined ? {} : JSON.parse(body);
  const { product = payload.upsell, currency, amountCents = payload.totalCents } = payload;
  const isMoney = typeof amountCents === 'number' && typeof currency === 'string';
  return {
    product: typeof product === 'string' ? product : null,
    amount_cents: isMoney ? amountCents : null,
    currency: isMoney ? currency : null,
  };
}
