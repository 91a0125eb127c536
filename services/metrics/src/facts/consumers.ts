import { orderPaid } from '@app/contracts/orders';
import { subscriptionStarted } from '@app/contracts/subscriptions';
import { on, type Subscription } from '@app/messaging/subscription';
import { factOfOrder, factOfSubscription } from './fact.rules.ts';
import { recordFacts } from './record-facts.ts';

export function subscriptions(): Subscription[] {
  return [
    on(orderPaid, (events, client) => recordFacts(client, events.map(factOfOrder))),
    on(subscriptionStarted, (events, client) => recordFacts(client, events.map(factOfSubscription))),
  ];
}
