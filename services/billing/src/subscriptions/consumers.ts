import { orderPaid } from '@app/contracts/orders';
import { on } from '@app/messaging/subscription';
import { startSubscriptions } from './start-subscriptions.ts';

export const checkoutSubscriptions = [on(orderPaid, (events, client) => startSubscriptions(client, events))];
