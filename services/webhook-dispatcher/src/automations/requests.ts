import * as contract from '@app/contracts/automations';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { AutomationDeps } from './automation-deps.ts';
import { resourceOf } from './automation-row.ts';
import { revealAutomationSecret, rotateAutomationSecret } from './automation-secret.ts';
import { createAutomation } from './create-automation.ts';
import { findAutomation } from './find-automation.ts';
import { listAutomations } from './list-automations.ts';
import { previewAutomation } from './preview-automation.ts';
import { resendReceipt } from './resend-receipt.ts';
import { type TestDeps, testAutomation } from './test-automation.ts';
import { deleteAutomation, updateAutomation } from './update-automation.ts';

export function automationRequests(deps: AutomationDeps & TestDeps): RequestHandler[] {
  return [
    onRequest(contract.listAutomations, (page, { accountId }) => listAutomations(deps, accountId, page)),
    onRequest(contract.createAutomation, (input, context) => createAutomation(deps, context, input)),
    onRequest(contract.getAutomation, async ({ automationId }, { accountId }) =>
      resourceOf(await findAutomation(deps.database, accountId, automationId), deps),
    ),
    onRequest(contract.updateAutomation, (input, context) => updateAutomation(deps, context, input)),
    onRequest(contract.deleteAutomation, (input, context) => deleteAutomation(deps, context, input)),
    onRequest(contract.rotateAutomationSecret, (input, context) => rotateAutomationSecret(deps, context, input)),
    onRequest(contract.revealAutomationSecret, ({ automationId }, { accountId }) =>
      revealAutomationSecret(deps, accountId, automationId),
    ),
    onRequest(contract.previewAutomation, (input, { accountId }) => previewAutomation(deps, accountId, input)),
    onRequest(contract.resendReceipt, (input, context) => resendReceipt(deps, context, input)),
    onRequest(contract.testAutomation, (input, context) => testAutomation(deps, context, input)),
  ];
}
