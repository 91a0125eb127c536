import type { affiliateCodeUnmatched } from '@app/contracts/affiliates';
import type { EventData } from '@app/contracts/define';
import type { ReceivedEvent } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import type { Client } from '@app/service-kit/database';
import { unmatchedCodeText } from './activity.rules.ts';
import { insertNotices, newNotice } from './notices.ts';

/** Records a notice for each order that names an affiliate code which the account does not have. */
export async function recordUnmatchedCodes(
  clock: Clock,
  events: readonly ReceivedEvent<EventData<typeof affiliateCodeUnmatched>>[],
  client: Client,
): Promise<void> {
  const notices = events.map(({ accountId, data }) =>
    newNotice(clock, { accountId, summary: unmatchedCodeText(data.code), orderId: data.orderId, test: data.test }),
  );
  await client.query(insertNotices([JSON.stringify(notices)]));
}
