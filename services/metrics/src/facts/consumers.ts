import { productRenamed } from '@app/contracts/catalog';
import { orderPaid } from '@app/contracts/orders';
import { subscriptionStarted } from '@app/contracts/subscriptions';
import { type EventHandler, onEvent } from '@app/messaging/event-handler';
import { recordNames } from '../products/record-names.ts';
import { factOfOrder, factOfSubscription } from './fact.rules.ts';
import { recordFacts } from './record-facts.ts';

export function eventHandlers(): EventHandler[] {
  return [
    onEvent(orderPaid, (events, client) => recordFacts(client, events.map(factOfOrder))),
    onEvent(subscriptionStarted, (events, client) => recordFacts(client, events.map(factOfSubscription))),
    onEvent(productRenamed, (events, client) => recordNames(client, events)),
  ];
}
