import { keepSettings } from '@app/account-settings/settings-handler';
import { applySettings } from '@app/contracts/accounts';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { Database } from '@app/service-kit/database';

/** What the gateway applies here before it answers a switch of test mode. */
export const settingsRequests = ({ pool }: Database): RequestHandler[] => [
  onRequest(applySettings, async ({ settings, revision }, { accountId }) => {
    await keepSettings(pool, [{ account_id: accountId, revision, settings }]);
    return { ok: true as const };
  }),
];
