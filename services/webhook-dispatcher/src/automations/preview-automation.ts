import { readSettingsOf } from '@app/account-settings/read-settings';
import type { previewAutomation as contract } from '@app/contracts/automations';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { sampleLinks, samplePayloadOf } from '@app/contracts/triggers';
import { shopOf } from '@app/email/letter';
import { requireUsableEmail } from './automation.rules.ts';
import type { AutomationDeps } from './automation-deps.ts';
import { automationEmail, sellersAddress } from './automation-email.rules.ts';

/**
 * The email that the action makes of the event's sample.
 * @throws DomainError validation_failed
 */
export async function previewAutomation(
  { database, publicUrl }: Pick<AutomationDeps, 'database' | 'publicUrl'>,
  accountId: string,
  { body, account }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const { event, action } = body;
  requireUsableEmail(event, action);
  const payload = samplePayloadOf(event);
  const to = action.to === 'buyer' ? String(payload.email) : sellersAddress(account);
  const { businessName: name, supportEmail } = account;
  const shop = shopOf(await readSettingsOf(database.pool, accountId), { name, supportEmail }, publicUrl);
  return { to, ...automationEmail(action, { ...payload, ...sampleLinks }, shop, false) };
}
