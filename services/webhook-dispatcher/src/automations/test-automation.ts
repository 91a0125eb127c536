import type { testAutomation as contract } from '@app/contracts/automations';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { samplePayloadOf } from '@app/contracts/triggers';
import type { RequestContext } from '@app/messaging/request-headers';
import { priorities } from '../deliveries/priority.rules.ts';
import type { OutgoingEvent } from '../events/outgoing-event.ts';
import type { StoreDeps } from '../events/store-events.ts';
import { storeTestOnce } from '../events/store-test-once.ts';
import { readDelivery } from '../history/read-delivery.ts';
import type { AutomationDeps } from './automation-deps.ts';
import { type AutomationRow, builtInOf, builtInRows, materialiseStatement } from './automation-row.ts';
import { findAutomation } from './find-automation.ts';

export type TestDeps = Pick<AutomationDeps, 'database' | 'clock' | 'emailsAvailable'> & StoreDeps;

/**
 * Runs the automation once with sample data, after everything else. An email goes to the address of the
 * account itself and to no other: the platform must not write to any address that is named here.
 * @throws DomainError automation_not_found, email_unavailable, invalid_transition while it is off
 */
export async function testAutomation(
  deps: TestDeps,
  { accountId, commandId }: RequestContext,
  { automationId, account }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const automation = await findAutomation(deps.database, accountId, automationId);
  requireRunnable(automation, deps.emailsAvailable);
  const event = sampleEvent(
    deps,
    { accountId, eventId: idOfCommand('event', commandId) },
    automation,
    account.supportEmail,
  );
  const isBuiltIn = builtInOf(accountId, automationId) !== undefined;
  const deliveryId = await storeTestOnce(deps, commandId, { event, endpointId: automationId }, async (client) => {
    if (isBuiltIn) await client.query(materialiseStatement([builtInRows([accountId])]));
  });
  if (deliveryId === undefined) throw new DomainError('automation_not_found', 'The automation was just deleted.');
  return await readDelivery(deps.database, accountId, deliveryId);
}

function requireRunnable({ active, action }: AutomationRow, emailsAvailable: boolean): void {
  if (!active)
    throw new DomainError('invalid_transition', 'An automation that is off cannot be tested: switch it on first.');
  if (action.type === 'post' || emailsAvailable) return;
  throw new DomainError('email_unavailable', 'This deployment has no mail server: emails cannot be sent.');
}

function sampleEvent(
  { clock }: TestDeps,
  ids: { readonly accountId: string; readonly eventId: string },
  { event: name, action }: AutomationRow,
  supportEmail: string,
): OutgoingEvent {
  const occurredAt = clock.now().toISOString();
  const body = JSON.stringify({ ...samplePayloadOf(name), sentAt: occurredAt });
  const email = action.type === 'email' ? supportEmail : null;
  return {
    id: ids.eventId,
    accountId: ids.accountId,
    name,
    body,
    email,
    occurredAt,
    orderId: null,
    productId: null,
    test: true,
    priority: priorities.resent,
    traceparent: null,
  };
}
