import type { RequestOutput } from '@app/contracts/define';
import type * as contract from '@app/contracts/webhook-deliveries';
import { type Database, statement } from '@app/service-kit/database';
import { withOne } from '@app/service-kit/planner';
import type { Attempt, ExchangeColumns } from '../deliveries/attempt.ts';
import { explainDiagnosis } from '../texts/diagnosis-texts.rules.ts';
import { deliveryResource } from './delivery-rows.ts';
import { requireDeliveryRow } from './read-delivery.ts';

type DeliveryDetail = RequestOutput<typeof contract.getDelivery>;

const attemptsStatement = statement<AttemptRow>(
  'delivery-attempts',
  `select a.*, r.response from (
     select id, number, created_at, url, status_code, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, error,
       diagnosis, diagnosis_detail, next_attempt_at
     from attempts where delivery_id = $2 and account_id = $1 order by id desc limit 100) a
   ${withOne('select response from attempt_responses where attempt_id = a.id and account_id = $1', 'r')}
   order by a.id desc`,
  {
    id: 'text',
    number: 'int4',
    created_at: 'timestamptz',
    url: 'text',
    status_code: 'int4',
    duration_ms: 'int4',
    dns_ms: 'int4',
    connect_ms: 'int4',
    tls_ms: 'int4',
    first_byte_ms: 'int4',
    error: 'text',
    diagnosis: 'text',
    diagnosis_detail: 'text',
    next_attempt_at: 'timestamptz',
    response: 'text',
  },
);
const bodyStatement = statement<{ body: string }>(
  'delivery-body',
  'select body from event_bodies where event_id = $2 and account_id = $1',
  { body: 'text' },
);

interface AttemptRow extends ExchangeColumns, Pick<Attempt, 'id' | 'number' | 'url'> {
  readonly created_at: Date;
  readonly next_attempt_at: Date | null;
}

/**
 * Gets a delivery with its attempts, newest first, their answers and the payload that was sent.
 * @throws DomainError delivery_not_found
 */
export async function getDelivery(database: Database, accountId: string, deliveryId: string): Promise<DeliveryDetail> {
  const row = await requireDeliveryRow(database, accountId, deliveryId);
  const [attempts, bodies] = await Promise.all([
    database.pool.query(attemptsStatement([accountId, deliveryId])),
    database.pool.query(bodyStatement([accountId, row.event_id])),
  ]);
  const body = bodies.rows[0]?.body;
  return {
    ...deliveryResource(row),
    attempts: attempts.rows.map(attemptResource),
    payload: body === undefined ? null : JSON.parse(body),
  };
}

function attemptResource(row: AttemptRow): DeliveryDetail['attempts'][number] {
  const { diagnosis, diagnosis_detail: detail, ...attempt } = row;
  const about = { url: row.url ?? '', statusCode: row.status_code, detail };
  return {
    ...attempt,
    created_at: row.created_at.toISOString(),
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    diagnosis: explainDiagnosis(diagnosis, about),
  };
}
