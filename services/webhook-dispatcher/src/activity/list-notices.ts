import { type Database, statement } from '@app/service-kit/database';
import { namesOf } from '@app/service-kit/row-arrays';
import type { ActivityEntry } from './attempt-rows.ts';
import { listedTypes, type Notice } from './notices.ts';

interface NoticeRow extends Omit<Notice, 'account_id' | 'created_at'> {
  readonly created_at: Date;
}

const columns = `select ${namesOf(listedTypes)} from notices where account_id = $1`;
const page = 'id < $2 and id >= $3 order by id desc limit $4';
const everyStatement = statement<NoticeRow>('notices-page', `${columns} and ${page}`, listedTypes);
const endpointStatement = statement<NoticeRow>(
  'notices-of-endpoint',
  `${columns} and endpoint_id = $5 and ${page}`,
  listedTypes,
);
const orderStatement = statement<NoticeRow>(
  'notices-of-order',
  `${columns} and order_id = $5 and ($6::text is null or endpoint_id = $6) and ${page}`,
  listedTypes,
);

/** Lists the newest notices with ids below one and from another on, all of them or those of an order or an endpoint. */
export async function listNotices(
  database: Database,
  accountId: string,
  range: { below: string; from: string; limit: number },
  { orderId, endpointId }: { orderId?: string | undefined; endpointId?: string | undefined },
): Promise<ActivityEntry[]> {
  const values = [accountId, range.below, range.from, range.limit];
  const read = async (query: ReturnType<typeof everyStatement>) =>
    (await database.pool.query(query)).rows.map(noticeEntry);
  if (orderId !== undefined) return await read(orderStatement([...values, orderId, endpointId ?? null]));
  if (endpointId !== undefined) return await read(endpointStatement([...values, endpointId]));
  return await read(everyStatement(values));
}

function noticeEntry(row: NoticeRow): ActivityEntry {
  return {
    id: row.id,
    kind: 'notice',
    created_at: row.created_at.toISOString(),
    summary: row.summary,
    event: null,
    event_id: null,
    delivery_id: null,
    endpoint_id: row.endpoint_id,
    order_id: row.order_id,
    url: row.url,
    attempt: null,
    status: 'notice',
    status_code: null,
    duration_ms: null,
    response_excerpt: null,
    error: null,
    diagnosis: null,
    next_attempt_at: null,
    test: row.test,
    email: null,
    product: null,
    amount_cents: null,
    currency: null,
  };
}
