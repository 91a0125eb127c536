import * as contract from '@app/contracts/daily-runs';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { advanceRehearsal, type RehearsalDeps } from './advance-rehearsal.ts';
import { getRehearsal } from './rehearsal-time.ts';

export function rehearsalRequests(deps: RehearsalDeps): RequestHandler[] {
  return [
    onRequest(contract.getRehearsal, (_, { accountId }) => getRehearsal(deps, accountId)),
    onRequest(contract.advanceRehearsal, ({ body }, context) => advanceRehearsal(deps, context, body.days)),
  ];
}
