import { newAccountSettings, type Settings } from '@app/contracts/accounts';
import { restoreCheckout } from '@app/contracts/checkouts';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { newIdSuffix } from '@app/contracts/ids';
import { getOptOut, optOut, previewReminders, runReminders } from '@app/contracts/reminders';
import { createArrivals } from '@app/testing/arrivals';
import { startSmtpServer } from '@app/testing/smtp-server';
import { type CheckoutHarness, createCheckoutHarness, type Opened } from './checkout-harness.ts';
import { context } from './harness.ts';

export const minuteMs = 60_000;
export const dayMs = 86_400_000;
export const email = 'bob@example.com';

type Smtp = Awaited<ReturnType<typeof startSmtpServer>>;

/** The real service with a mail server of its own. */
export interface RemindersHarness extends CheckoutHarness {
  readonly smtp: Smtp;
  readonly settings: Record<string, string>;
  /** @param waitMs how long the result is waited for; 20 s unless given */
  run(accountId?: string | null, commandId?: string, waitMs?: number): Promise<RequestOutput<typeof runReminders>>;
  preview(
    page?: RequestInput<typeof previewReminders>,
    accountId?: string,
  ): Promise<RequestOutput<typeof previewReminders>>;
  getOptOut(token: string): Promise<RequestOutput<typeof getOptOut>>;
  optOut(token: string): Promise<RequestOutput<typeof optOut>>;
  /** As the gateway's event would set them. */
  setSettings(accountId: string, changes: Partial<Settings>): Promise<void>;
  /** The tokens of the links of each received email, in the order they came. */
  links(): { to: string; restore: string; token: string }[];
  /** As the button of the link does. */
  restore(token: string, commandId?: string): Promise<Opened>;
  /** The mail server greets no connection until `greet` is called. */
  holdGreetings(): { held(connections: number): Promise<unknown>; greet(): void };
  reminders(): Promise<{ email: string; status: string; detail: string | null }[]>;
}

export async function createRemindersHarness(): Promise<RemindersHarness> {
  const harness = await createCheckoutHarness();
  const smtp = await startSmtpServer();
  const { requester, clock } = harness.base;
  let revision = 0;
  return {
    ...harness,
    smtp,
    settings: { SMTP_URL: smtp.url, EMAIL_FROM: 'mail@shop.example', PUBLIC_URL: 'https://shop.example' },
    run: (accountId = 'acc_1', commandId = newIdSuffix(clock.nowMs()), waitMs = 20_000) =>
      requester.request(
        runReminders,
        { accountId },
        { ...context(accountId ?? '', commandId), deadlineMs: Date.now() + waitMs },
      ),
    preview: (page = {}, accountId = 'acc_1') => requester.request(previewReminders, page, context(accountId)),
    getOptOut: (token) => requester.request(getOptOut, { token }, context('')),
    restore: (token, commandId) =>
      requester.request(restoreCheckout, { token }, context('', commandId ?? newIdSuffix(clock.nowMs()))),
    optOut: (token) => requester.request(optOut, { token }, context('')),
    setSettings: async (accountId, changes) => {
      const named = { handle: 'ada', businessName: 'Ada’s Courses', supportEmail: 'help@example.com' };
      const settings = { ...newAccountSettings, ...named, ...changes };
      revision += 1;
      await harness.query(
        `insert into account_settings (account_id, revision, settings)
         values ('${accountId}', ${revision}, '${JSON.stringify(settings)}')
         on conflict (account_id) do update set settings = excluded.settings`,
      );
    },
    links: () =>
      smtp.received.map(({ to, text }) => {
        const plain = decodeQuotedPrintable(text);
        const [, restore = ''] = /(?:\/c\/restore\/|#restore=)([\w-]+)/.exec(plain) ?? [];
        const [, token = ''] = /\/c\/opt-out\/([\w-]+)/.exec(plain) ?? [];
        return { to, restore, token };
      }),
    holdGreetings: () => {
      const greeting = Promise.withResolvers<string>();
      const connections = createArrivals<string>();
      smtp.behaviour.greeting = (to) => {
        connections.push(to);
        return greeting.promise;
      };
      return {
        held: (count) => connections.wait(count, { what: 'connections to the mail server' }),
        greet: () => greeting.resolve('220 ready'),
      };
    },
    reminders: () => harness.query('select email, status, detail from reminders order by email'),
    reset: async () => {
      await harness.reset();
      smtp.forget();
      for (const step of Object.keys(smtp.behaviour)) delete smtp.behaviour[step as keyof typeof smtp.behaviour];
    },
    close: async () => {
      await harness.close();
      await smtp.close();
    },
  };
}

/** Soft line breaks are gone, and encoded bytes are bytes again. */
export const decodeQuotedPrintable = (text: string): string =>
  Buffer.from(
    text
      .replaceAll('=\r\n', '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
