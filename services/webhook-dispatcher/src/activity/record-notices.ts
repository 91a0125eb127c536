import type { ReceivedEvent } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import type { Client } from '@app/service-kit/database';
import type { Partitions } from '../storage/partitions.ts';
import { insertNotices, newNotice } from './notices.ts';

interface About {
  /** Left out or null for what is about no order. */
  readonly orderId?: string | null;
  readonly test: boolean;
}

/** Records a notice for each event of a batch; `textOf` says what the seller reads. */
export async function recordNotices<Data extends About>(
  { clock, partitions }: { readonly clock: Clock; readonly partitions: Partitions },
  events: readonly ReceivedEvent<Data>[],
  client: Client,
  textOf: (data: Data) => string,
): Promise<void> {
  const notices = events.map(({ accountId, data }) =>
    newNotice(clock, { accountId, summary: textOf(data), orderId: data.orderId ?? null, test: data.test }),
  );
  await insertNotices(client, partitions, notices);
}
