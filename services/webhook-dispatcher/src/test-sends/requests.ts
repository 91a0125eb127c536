import { selfTestWebhook, sendTestWebhook } from '@app/contracts/webhook-tests';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { type SelfTestDeps, selfTest } from './self-test.ts';
import { type SendTestDeps, sendTest } from './send-test.ts';

export function testSendRequests(deps: SendTestDeps & SelfTestDeps): RequestHandler[] {
  return [
    onRequest(sendTestWebhook, ({ endpointId, body }, { accountId, commandId }) =>
      sendTest(deps, accountId, commandId, { endpointId, event: body.event }),
    ),
    onRequest(selfTestWebhook, ({ endpointId }, { accountId, commandId }) =>
      selfTest(deps, accountId, commandId, endpointId),
    ),
  ];
}
