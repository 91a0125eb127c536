import { newId } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import { statement } from '@app/service-kit/database';

/** An entry of Recent activity that is not a delivery attempt. */
export interface Notice {
  readonly id: string;
  readonly account_id: string;
  readonly created_at: string;
  readonly summary: string;
  readonly url: string | null;
  readonly order_id: string | null;
  readonly test: boolean;
}

export function newNotice(
  clock: Clock,
  about: { accountId: string; summary: string; url?: string; orderId?: string | null; test?: boolean },
): Notice {
  const nowMs = clock.nowMs();
  return {
    id: newId('notice', nowMs),
    account_id: about.accountId,
    created_at: new Date(nowMs).toISOString(),
    summary: about.summary,
    url: about.url ?? null,
    order_id: about.orderId ?? null,
    test: about.test ?? false,
  };
}

/** Inserts notices; the one parameter is their JSON array. */
export const insertNotices = statement(
  'notices-insert',
  `insert into notices (id, account_id, created_at, summary, url, order_id, test)
  select id, account_id, created_at, summary, url, order_id, test
  from json_to_recordset($1::json) as n (
    id text, account_id text, created_at timestamptz, summary text, url text, order_id text, test boolean)`,
);
