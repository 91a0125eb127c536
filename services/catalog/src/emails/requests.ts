import * as contract from '@app/contracts/catalog';
import { type Answer, answer } from '@app/messaging/serve-requests';
import type { CatalogDeps } from '../deps.ts';
import { createFunnelEmail } from './create-funnel-email.ts';
import { deleteFunnelEmail } from './delete-funnel-email.ts';
import { pushFunnelEmails } from './push-funnel-emails.ts';
import { updateFunnelEmail } from './update-funnel-email.ts';

export function emailRequests(deps: CatalogDeps): Answer[] {
  return [
    answer(contract.createFunnelEmail, (input, context) => createFunnelEmail(deps, context, input)),
    answer(contract.updateFunnelEmail, (input, context) => updateFunnelEmail(deps, context, input)),
    answer(contract.deleteFunnelEmail, (input, context) => deleteFunnelEmail(deps, context, input)),
    answer(contract.pushFunnelEmails, (input, context) => pushFunnelEmails(deps, context, input)),
  ];
}
