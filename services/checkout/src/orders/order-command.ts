import type { CreateOrderBody } from '@app/contracts/orders';
import type { RequestContext } from '@app/messaging/request-headers';

/** A request for an order: who sent it, the body, and the seller's settings that shape the sale. */
export interface OrderCommand {
  readonly context: RequestContext;
  readonly body: CreateOrderBody;
  readonly account: { testMode: boolean; supportEmail: string };
}
