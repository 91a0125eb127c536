import type { PlaceOrderBody } from '@app/contracts/orders';
import type { RequestContext } from '@app/messaging/request-headers';

/** An order on its way: who asks, what for, and the seller's settings that shape the sale. */
export interface OrderCommand {
  readonly context: RequestContext;
  readonly body: PlaceOrderBody;
  readonly account: { testMode: boolean; supportEmail: string };
}
