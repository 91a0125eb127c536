import { type OpenCheckoutBody, openCheckout as openCheckoutRequest } from '@app/contracts/checkouts';
import { idOfCommand } from '@app/contracts/ids';
import { invalidField } from '@app/contracts/validation';
import type { OperationCall } from '../operation.ts';

/**
 * Opens a checkout at the seller whom the handle names.
 * @throws what the checkout service refuses it with
 */
export async function openCheckout(call: OperationCall<unknown, unknown, OpenCheckoutBody>): Promise<Uint8Array> {
  const { app, body, address, headers, context } = call;
  const seller = await app.sellers.find(body.handle);
  if (seller === null) throw invalidField('handle', 'must be the handle of a seller', 'unknown_value');
  const visitor = app.visitorOf(app.clock.now(), address, headers['user-agent'] ?? '');
  const { accountId, account } = seller;
  const input = { body, account, visitor };
  const opened = await app.requester.requestBytes(openCheckoutRequest, input, { ...context, accountId });
  app.declineLimit.opened(idOfCommand('checkout', context.commandId), accountId);
  return opened;
}
