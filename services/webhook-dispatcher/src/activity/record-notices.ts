import type { ReceivedEvent } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import type { Client } from '@app/service-kit/database';
import { insertNotices, newNotice } from './notices.ts';

interface AboutOrder {
  readonly orderId: string;
  readonly test: boolean;
}

/** Records a notice for each event of a batch, each about an order. `textOf` says what the seller reads. */
export async function recordNotices<Data extends AboutOrder>(
  clock: Clock,
  events: readonly ReceivedEvent<Data>[],
  client: Client,
  textOf: (data: Data) => string,
): Promise<void> {
  const notices = events.map(({ accountId, data }) =>
    newNotice(clock, { accountId, summary: textOf(data), orderId: data.orderId, test: data.test }),
  );
  await client.query(insertNotices([JSON.stringify(notices)]));
}
