import { checkoutVisited } from '@app/contracts/checkouts';
import { orderPaid, orderRefunded, orderReopened, paymentRefunded, paymentReopened } from '@app/contracts/orders';
import { productCreated, productRenamed } from '@app/contracts/products';
import * as subscriptions from '@app/contracts/subscriptions';
import { type EventHandler, onEvent, unhurried } from '@app/messaging/event-handler';
import { recordNames } from '../products/record-names.ts';
import {
  factOfCancellation,
  factOfFailedPayment,
  factOfOrder,
  factOfPause,
  factOfPaymentRefund,
  factOfPaymentReopening,
  factOfRefund,
  factOfRenewal,
  factOfReopening,
  factOfResumption,
  factOfSubscription,
  factOfVisit,
} from './fact.rules.ts';
import { recordFacts } from './record-facts.ts';

export function factEventHandlers(): EventHandler[] {
  return unhurried([
    onEvent(orderPaid, (events, client) => recordFacts(client, events.map(factOfOrder))),
    onEvent(orderRefunded, (events, client) => recordFacts(client, events.map(factOfRefund))),
    onEvent(orderReopened, (events, client) => recordFacts(client, events.map(factOfReopening))),
    onEvent(paymentRefunded, (events, client) => recordFacts(client, events.map(factOfPaymentRefund))),
    onEvent(paymentReopened, (events, client) => recordFacts(client, events.map(factOfPaymentReopening))),
    onEvent(checkoutVisited, (events, client) => recordFacts(client, events.map(factOfVisit))),
    onEvent(subscriptions.subscriptionStarted, (events, client) => recordFacts(client, events.map(factOfSubscription))),
    onEvent(subscriptions.subscriptionRebilled, (events, client) => recordFacts(client, events.map(factOfRenewal))),
    onEvent(subscriptions.subscriptionPaymentFailed, (events, client) =>
      recordFacts(client, events.map(factOfFailedPayment)),
    ),
    onEvent(subscriptions.subscriptionPaused, (events, client) => recordFacts(client, events.map(factOfPause))),
    onEvent(subscriptions.subscriptionResumed, (events, client) => recordFacts(client, events.map(factOfResumption))),
    onEvent(subscriptions.subscriptionCanceled, (events, client) =>
      recordFacts(client, events.map(factOfCancellation)),
    ),
    onEvent(productCreated, (events, client) => recordNames(client, events)),
    onEvent(productRenamed, (events, client) => recordNames(client, events)),
  ]);
}
