import type { EventData } from '@app/contracts/define';
import { orderPaid, orderRefunded, orderReopened, paymentRefunded, paymentReopened } from '@app/contracts/orders';
import { subscriptionRebilled } from '@app/contracts/subscriptions';
import { type EventHandler, onEvent, unhurried } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import { namesCode, recordCommissions } from './record-commissions.ts';
import { recordPaymentRefunds, recordRefunds } from './record-refunds.ts';
import { recordRenewals } from './record-renewals.ts';

/** Few batches write to the outbox; the relay is woken after those alone. */
export function commissionEventHandlers(clock: Clock, wakeRelay: () => void): EventHandler[] {
  return unhurried([
    onEvent(
      orderPaid,
      async (orders, client, onCommit) => {
        if ((await recordCommissions(client, clock, orders)) > 0) onCommit(wakeRelay);
      },
      namesCode,
    ),
    onEvent(subscriptionRebilled, (events, client) => recordRenewals(client, clock, events), mayEarn),
    onEvent(orderRefunded, (events, client) => recordRefunds(client, clock, events, 'refunded'), isNoTest),
    onEvent(orderReopened, (events, client) => recordRefunds(client, clock, events, 'reopened'), isNoTest),
    onEvent(paymentRefunded, (events, client) => recordPaymentRefunds(client, clock, events), isNoTest),
    onEvent(paymentReopened, (events, client) => recordPaymentRefunds(client, clock, events), isNoTest),
  ]);
}

/** Most subscriptions were sold without an affiliate. */
const mayEarn = ({ test, affiliateNamed }: EventData<typeof subscriptionRebilled>): boolean => !test && affiliateNamed;

/** Test orders earn no commission. */
const isNoTest = ({ test }: { test: boolean }): boolean => !test;
