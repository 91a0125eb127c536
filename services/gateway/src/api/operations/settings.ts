import { confirmSupportEmailBody, settingsResource, updateSettingsBody } from '@app/contracts/accounts';
import type { z } from 'zod';
import { logoUrlOf } from '../../edge/public-urls.ts';
import { getShownSettings, type ShownSettings } from '../../identity/get-settings.ts';
import { isSameMailbox } from '../../identity/support-email.rules.ts';
import { confirmSupportEmail, requestSupportEmailVerification } from '../../identity/support-email.ts';
import { updateSettings } from '../../identity/update-settings.ts';
import { defineOkOperation, defineOperation, tagged } from '../operation.ts';
import { type AnyCall, sensitive } from '../sensitive-changes.ts';

const resourceOf = (
  { settings: { logoName, ...settings }, supportEmailPending, version }: ShownSettings,
  baseUrl: string,
) => ({
  ...settings,
  supportEmailPending,
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
      alsoScope: 'read',
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
      run: async ({ app, actor, context, body, ifVersion, baseUrl, ownUrls }) => {
        const shown = await updateSettings(app, actor, context, body, ownUrls[0] ?? baseUrl, ifVersion);
        app.sellers.clear();
        return resourceOf(shown, baseUrl);
      },
    }),
    changedAddresses,
  ),
  defineOkOperation({
    id: 'requestSupportEmailVerification',
    audit: false,
    method: 'POST',
    path: '/api/v1/settings/support-email/verification',
    summary: 'Send the email once more that `supportEmailPending` confirms with',
    description:
      'Five such emails a day reach one address; further ones are not sent, nor is one where none waits, or before the account’s own address is verified: it is sent with ' +
      'that then. Also for a `supportEmail` that is not verified.',
    auth: 'account',
    scope: 'write',
    errors: [],
    run: ({ app, actor, baseUrl, ownUrls }) =>
      requestSupportEmailVerification(app, actor.accountId, ownUrls[0] ?? baseUrl),
  }),
  defineOkOperation({
    id: 'confirmSupportEmail',
    audit: 'settings',
    method: 'POST',
    path: '/api/auth/support-email/redeem',
    summary: 'Confirm an address for support with the token of the email',
    description:
      'From then on it is the account’s `supportEmail`. The token works once, for 48 hours. The link in the email leads to a page that does this.',
    auth: 'public',
    body: confirmSupportEmailBody,
    changesAccess: true,
    errors: ['not_found'],
    run: async ({ app, body, context, audit }) => {
      await confirmSupportEmail(app, body.token, context.requestId, audit);
      app.sellers.clear();
    },
  }),
]);

/**
 * Reminders lead buyers to the one, with what copies their checkouts, and a bank leads them back to it; the hosted page is our own.
 * Buyers' answers go to the other, and what the account is notified of.
 */
async function changedAddresses({ app, actor, body }: AnyCall): Promise<'checkout_url' | 'support_email' | null> {
  const { checkoutUrl = null, supportEmail } = body as z.output<typeof updateSettingsBody>;
  if (checkoutUrl === null && supportEmail === undefined) return null;
  const { settings, supportEmailPending } = await getShownSettings(app.database, actor.accountId);
  if (checkoutUrl !== null && checkoutUrl !== settings.checkoutUrl) return 'checkout_url';
  if (supportEmail === undefined) return null;
  const known = [settings.supportEmail, supportEmailPending].some((one) => isSameMailbox(supportEmail, one));
  return known ? null : 'support_email';
}
