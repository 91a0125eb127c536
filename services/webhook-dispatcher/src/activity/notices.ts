import { newId } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import { type Client, statement } from '@app/service-kit/database';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';
import type { Partitions } from '../storage/partitions.ts';

/** An entry of Recent activity that is not a delivery attempt. */
export interface Notice {
  readonly id: string;
  readonly account_id: string;
  readonly created_at: string;
  readonly summary: string;
  readonly url: string | null;
  /** Of the endpoint, or of the automation, that it is about. */
  readonly endpoint_id: string | null;
  readonly order_id: string | null;
  readonly test: boolean;
}

export function newNotice(
  clock: Clock,
  about: {
    accountId: string;
    summary: string;
    url?: string;
    endpointId?: string;
    orderId?: string | null;
    test?: boolean;
  },
): Notice {
  const nowMs = clock.nowMs();
  return {
    id: newId('notice', nowMs),
    account_id: about.accountId,
    created_at: new Date(nowMs).toISOString(),
    summary: about.summary,
    url: about.url ?? null,
    endpoint_id: about.endpointId ?? null,
    order_id: about.orderId ?? null,
    test: about.test ?? false,
  };
}

/** What an account's list of them reads. */
export const listedTypes = {
  id: 'text',
  created_at: 'timestamptz',
  summary: 'text',
  url: 'text',
  endpoint_id: 'text',
  order_id: 'text',
  test: 'bool',
} as const;
const noticeTypes = { ...listedTypes, account_id: 'text' };
const columns = namesOf(noticeTypes);

const insertStatement = statement(
  'notices-insert',
  `insert into notices (${columns}) select ${columns} from ${tableOf(noticeTypes, 1)}`,
);

/** Stores notices in the client's transaction. */
export async function insertNotices(client: Client, partitions: Partitions, notices: readonly Notice[]): Promise<void> {
  await partitions.cover(notices.map(({ id }) => id));
  try {
    await client.query(insertStatement(columnsOf(notices, noticeTypes)));
  } catch (err) {
    partitions.forgetAfter(err);
    throw err;
  }
}
