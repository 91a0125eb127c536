import type { previewAutomation as contract } from '@app/contracts/automations';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { sampleLinks, samplePayloadOf } from '@app/contracts/triggers';
import { requireUsableEmail } from './automation.rules.ts';
import { automationEmail, sellersAddress } from './automation-email.rules.ts';

/**
 * The email that the action makes of the event's sample.
 * @throws DomainError validation_failed
 */
export function previewAutomation({ body, account }: RequestInput<typeof contract>): RequestOutput<typeof contract> {
  const { event, action } = body;
  requireUsableEmail(event, action);
  const payload = samplePayloadOf(event);
  const to = action.to === 'buyer' ? String(payload.email) : sellersAddress(account);
  return { to, ...automationEmail(action, { ...payload, ...sampleLinks }, account, false) };
}
