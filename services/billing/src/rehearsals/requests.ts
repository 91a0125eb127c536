import * as contract from '@app/contracts/daily-runs';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { getRehearsal } from '../runs/rehearsal-time.ts';
import { advanceRehearsal, type RehearsalDeps } from './advance-rehearsal.ts';

export function rehearsalRequests(deps: RehearsalDeps): RequestHandler[] {
  return [
    onRequest(contract.getRehearsal, (_, { accountId }) => getRehearsal(deps, accountId)),
    onRequest(contract.advanceRehearsal, ({ body }, context) => advanceRehearsal(deps, { ...context, ...body })),
  ];
}
