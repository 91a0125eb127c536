import { revokeProcessor as revokeContract } from '@app/contracts/accounts';
import * as contract from '@app/contracts/payment-processors';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { getPaymentProcessor, type ProcessorSettingsDeps, putPaymentProcessor } from './processor-settings.ts';
import { revokeProcessor } from './revoke-processor.ts';

export function paymentProcessorRequests(deps: ProcessorSettingsDeps): RequestHandler[] {
  return [
    onRequest(contract.getPaymentProcessor, (_, { accountId }) => getPaymentProcessor(deps, accountId)),
    onRequest(revokeContract, (_, { accountId }) => revokeProcessor(deps, accountId)),
    onRequest(contract.putPaymentProcessor, (input, { accountId, commandId }) =>
      putPaymentProcessor(deps, accountId, commandId, input),
    ),
  ];
}
