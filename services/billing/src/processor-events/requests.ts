import * as contract from '@app/contracts/processor-events';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { type ReceivingDeps, receiveEvent } from './receive-event.ts';

export const processorEventRequests = (deps: ReceivingDeps): RequestHandler[] => [
  onRequest(contract.receiveProcessorEvent, (input, { accountId }) => receiveEvent(deps, accountId, input)),
];
