import * as contracts from '@app/contracts/funnels';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { getFunnel } from './get-funnel.ts';

export function funnelRequests({ database }: UseCaseDeps): RequestHandler[] {
  return [onRequest(contracts.getFunnel, (input, { accountId }) => getFunnel(database, accountId, input))];
}
