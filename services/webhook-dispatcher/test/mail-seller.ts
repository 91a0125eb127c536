import { accountSettingsChanged, newAccountSettings, type Settings } from '@app/contracts/accounts';
import { orderPaid } from '@app/contracts/orders';
import { listActivity } from '@app/contracts/webhook-deliveries';
import type { startSmtpServer } from '@app/testing/smtp-server';
import { attempted, type Harness, handled } from './harness.ts';
import { anOrder } from './orders.ts';

export type MailServer = Awaited<ReturnType<typeof startSmtpServer>>;

export const mailSettings = (server: MailServer) => ({ SMTP_URL: server.url, EMAIL_FROM: 'mail@platform.example' });

const settings = {
  ...newAccountSettings,
  ...{ handle: 'maya', businessName: 'Maya & Co', supportEmail: 'help@maya.example' },
};

/** An account of which the service knows the settings. */
export async function mailSeller(harness: Harness, changes: Partial<Settings> = {}) {
  const account = harness.account();
  const changedAt = harness.clock.now().toISOString();
  const eventId = await harness.publish(accountSettingsChanged, account, {
    ...settings,
    ...changes,
    revision: 1,
    changedAt,
  });
  await handled(eventId);
  let revision = 1;
  return {
    account,
    /** Other settings of the account, in place of those before. */
    change: async (others: Partial<Settings>) => {
      revision += 1;
      const data = { ...settings, ...others, revision, changedAt: harness.clock.now().toISOString() };
      await handled(await harness.publish(accountSettingsChanged, account, data));
    },
    /** An order that was charged, unless it says otherwise: others' receipts are bounded for each buyer. */
    sell: (change: Parameters<typeof anOrder>[1] = {}) =>
      harness.publish(
        orderPaid,
        account,
        anOrder(harness.clock.nowMs(), { accessUrl: 'https://maya.example/a', processor: 'stripe', ...change }),
      ),
    /** So many attempts of the account are recorded, since its beginning. */
    tried: (times: number) => attempted({ accountId: account }, times),
    /** Every delivery of the account that automations have. */
    runs: () =>
      harness.query<{ id: string; endpoint_id: string; status: string; reason: string | null; attempts: number }>(
        `select id, endpoint_id, status, null as reason, attempts from deliveries where account_id = $1 and endpoint_id like 'aut%'
         union all select id, endpoint_id, status, reason, attempts from finished_deliveries
         where account_id = $1 and endpoint_id like 'aut%' order by id`,
        [account],
      ),
    activity: async () => (await harness.request(listActivity, account, {})).data,
  };
}

/** The value of a header of an email as it was received. */
export const headerOf = (text: string, name: string): string =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(text)?.[1]?.trim() ?? '';
