import { settingsResource, updateSettingsBody } from '@app/contracts/accounts';
import type { z } from 'zod';
import { logoUrlOf } from '../../edge/public-urls.ts';
import { getSettings, getShownSettings, type ShownSettings } from '../../identity/get-settings.ts';
import { updateSettings } from '../../identity/update-settings.ts';
import { defineOperation, tagged } from '../operation.ts';
import { type AnyCall, sensitive } from '../sensitive-changes.ts';

const resourceOf = ({ settings, logoName, version }: ShownSettings, baseUrl: string) => ({
  ...settings,
  logoUrl: logoUrlOf(baseUrl, logoName),
  version,
});

export const settingsOperations = tagged('Settings', [
  defineOperation({
    id: 'getSettings',
    method: 'GET',
    path: '/api/v1/settings',
    summary: 'Read the account’s settings',
    description: 'All of them, with the `version` that a change may name.',
    auth: 'account',
    scope: 'read',
    response: settingsResource,
    hasVersion: true,
    errors: [],
    run: async ({ app, actor, baseUrl }) => {
      return resourceOf(await getShownSettings(app.database, actor.accountId), baseUrl);
    },
  }),
  sensitive(
    defineOperation({
      id: 'updateSettings',
      audit: 'settings',
      method: 'PATCH',
      path: '/api/v1/settings',
      summary: 'Change settings by name',
      auth: 'account',
      scope: 'write',
      body: updateSettingsBody,
      response: settingsResource,
      hasVersion: true,
      changesAccess: true,
      errors: ['handle_taken'],
      run: async ({ app, actor, context, body, ifVersion, baseUrl }) => {
        const shown = await updateSettings(app, actor, context, body, ifVersion);
        app.sellers.clear();
        return resourceOf(shown, baseUrl);
      },
    }),
    changedAddresses,
  ),
]);

/**
 * Reminders lead buyers to the one, with what copies their checkouts, and a bank leads them back to it; the hosted page is our own.
 * Buyers' answers go to the other, and what the account is notified of.
 */
async function changedAddresses({ app, actor, body }: AnyCall): Promise<'checkout_url' | 'support_email' | null> {
  const { checkoutUrl = null, supportEmail } = body as z.output<typeof updateSettingsBody>;
  if (checkoutUrl === null && supportEmail === undefined) return null;
  const stored = await getSettings(app.database, actor.accountId);
  if (checkoutUrl !== null && checkoutUrl !== stored.checkoutUrl) return 'checkout_url';
  return supportEmail === undefined || supportEmail === stored.supportEmail ? null : 'support_email';
}
