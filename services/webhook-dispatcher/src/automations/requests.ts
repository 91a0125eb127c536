import * as contract from '@app/contracts/automations';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { AutomationDeps } from './automation-deps.ts';
import { resourceOf } from './automation-row.ts';
import { createAutomation } from './create-automation.ts';
import { findAutomation } from './find-automation.ts';
import { listAutomations } from './list-automations.ts';
import { previewAutomation } from './preview-automation.ts';
import { type TestDeps, testAutomation } from './test-automation.ts';
import { deleteAutomation, updateAutomation } from './update-automation.ts';

export function automationRequests(deps: AutomationDeps & TestDeps): RequestHandler[] {
  const { database, emailsAvailable } = deps;
  return [
    onRequest(contract.listAutomations, (_, { accountId }) => listAutomations(database, accountId, emailsAvailable)),
    onRequest(contract.createAutomation, (input, context) => createAutomation(deps, context, input)),
    onRequest(contract.getAutomation, async ({ automationId }, { accountId }) =>
      resourceOf(await findAutomation(database, accountId, automationId), emailsAvailable),
    ),
    onRequest(contract.updateAutomation, (input, context) => updateAutomation(deps, context, input)),
    onRequest(contract.deleteAutomation, (input, context) => deleteAutomation(deps, context, input)),
    onRequest(contract.previewAutomation, async (input) => previewAutomation(input)),
    onRequest(contract.testAutomation, (input, context) => testAutomation(deps, context, input)),
  ];
}
