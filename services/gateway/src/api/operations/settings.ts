import { settingsResource, updateSettingsBody } from '@app/contracts/accounts';
import { logoUrlOf } from '../../edge/public-urls.ts';
import { getShownSettings } from '../../identity/get-settings.ts';
import { updateSettings } from '../../identity/update-settings.ts';
import { defineOperation } from '../operation.ts';

const tag = 'Settings';

export const settingsOperations = [
  defineOperation({
    id: 'getSettings',
    method: 'GET',
    path: '/api/v1/settings',
    tag,
    summary: 'Read the account’s settings',
    auth: 'account',
    scope: 'read',
    response: settingsResource,
    errors: [],
    run: async ({ app, actor, baseUrl }) => {
      const { settings, logoName } = await getShownSettings(app.database, actor.accountId);
      return { ...settings, logoUrl: logoUrlOf(baseUrl, logoName) };
    },
  }),
  defineOperation({
    id: 'updateSettings',
    method: 'PATCH',
    path: '/api/v1/settings',
    tag,
    summary: 'Change settings by name',
    auth: 'account',
    scope: 'write',
    body: updateSettingsBody,
    response: settingsResource,
    errors: ['handle_taken'],
    run: async ({ app, context, body, baseUrl }) => {
      const { settings, logoName } = await updateSettings(app, context, body);
      app.authenticator.forget();
      app.sellers.clear();
      return { ...settings, logoUrl: logoUrlOf(baseUrl, logoName) };
    },
  }),
];
