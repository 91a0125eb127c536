import { orderPaid } from '@app/contracts/orders';
import { subscriptionStarted } from '@app/contracts/subscriptions';
import { on } from '@app/messaging/subscription';
import { factOfOrder, factOfSubscription } from './fact.rules.ts';
import { recordFacts } from './record-facts.ts';

export const checkoutSubscriptions = [on(orderPaid, (events, client) => recordFacts(client, events.map(factOfOrder)))];

export const billingSubscriptions = [
  on(subscriptionStarted, (events, client) => recordFacts(client, events.map(factOfSubscription))),
];
