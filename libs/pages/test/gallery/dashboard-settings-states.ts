import { accountContent } from '../../src/dashboard/settings/account-page.ts';
import { besidePreview, settingsForm } from '../../src/dashboard/settings/change-settings.ts';
import { groups } from '../../src/dashboard/settings/groups.ts';
import { logoCard, logoPage, logoPath } from '../../src/dashboard/settings/logo.ts';
import { pagesPreviewPath } from '../../src/dashboard/settings/pages-preview.ts';
import { paymentsContent } from '../../src/dashboard/settings/payments.ts';
import { type SettingsPath, settingsPage } from '../../src/dashboard/settings/settings-page.ts';
import { supportEmailNotice } from '../../src/dashboard/settings/support-email.ts';
import { checkoutsLine, passedText, switchCard, timeCard } from '../../src/dashboard/settings/test-mode.ts';
import { type Html, html } from '../../src/html.ts';
import { product } from './dashboard-products-samples.ts';
import { inFrame, stateOf, visitAt } from './dashboard-samples.ts';
import { arabicName, longName } from './samples.ts';

const shown = (path: SettingsPath, main: Html, said: string | null = null) =>
  inFrame(path, settingsPage(path, main, said));
const groupAt = (
  path: SettingsPath,
  values: Record<string, string>,
  errors: Record<string, string> = {},
  below: Html = html``,
) => {
  const content = html`${settingsForm(visitAt(path), groups[path] ?? {}, stateOf(values, errors), 3)}${below}`;
  return shown(path, path === '/app/settings/pages' ? besidePreview(content, pagesPreviewPath) : content);
};

const session = {
  id: 'ses_01jd2q5v8kfw9s3x6z7yabcdef',
  current: true,
  address: '192.0.2.1',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  factor: null,
  created_at: '2026-10-23T12:00:00.000Z',
};
const sessions = [
  session,
  Object.assign({}, session, { current: false, factor: 'passkey' as const }),
  Object.assign({}, session, { current: false, user_agent: longName }),
  Object.assign({}, session, { current: false, user_agent: null, address: null }),
];
const account = '/app/settings/account';
const accountShown = (
  of: { emailVerified: boolean },
  errors: Record<string, string> = {},
  typed: Record<string, string> = {},
) =>
  shown(
    account,
    accountContent(visitAt(account), {
      me: Object.assign({ email: 'ada@example.com' }, of),
      sessions,
      state: stateOf(typed, errors),
      pager: html``,
    }),
  );

const liveKeys = {
  account: 'acct_1MTfjCQ9PRzxEwkZ',
  account_name: longName,
  publishable_key: `pk_live_${'51Hxyz'.repeat(16)}`,
  stored_at: '2026-10-20T09:00:00.000Z',
  settlement_currency: 'eur',
  charges_enabled: false,
  disabled_reason: 'requirements.past_due',
  requirements_due: ['company.tax_id', 'external_account'],
  account_checked_at: '2026-10-20T09:00:00.000Z',
  missing_permissions: ['Charges and Refunds: write', 'Events: read'],
  webhooks: 'not_permitted' as const,
  left_endpoints: [] as string[],
  last_event_at: null,
  wallets: { status: 'not_permitted' as const, domains: [] },
};
const testKeys = {
  account: 'acct_1MTfjCQ9PRzxEwkZ',
  account_name: null,
  publishable_key: 'pk_test_51Hxyz',
  stored_at: '2026-10-20T09:00:00.000Z',
  settlement_currency: 'eur',
  charges_enabled: null,
  disabled_reason: null,
  requirements_due: [],
  account_checked_at: null,
  missing_permissions: [],
  webhooks: 'by_hand' as const,
  left_endpoints: [] as string[],
  last_event_at: '2026-10-23T12:00:00.000Z',
  wallets: {
    status: 'registered' as const,
    domains: [
      { domain: 'shop.example', apple_pay: 'active' as const, google_pay: 'active' as const, detail: null },
      {
        ...{ domain: 'ada.example', apple_pay: 'inactive' as const, google_pay: 'active' as const },
        detail: 'The domain could not be verified with Apple.',
      },
    ],
  },
};
const payments = '/app/settings/payments';
const paymentsShown = (
  processor: 'stripe' | 'none',
  typed: Record<string, string> = {},
  errors: Record<string, string> = {},
  stripe: { live: typeof liveKeys; test: typeof testKeys } | null = null,
) =>
  shown(
    payments,
    paymentsContent(
      visitAt(payments),
      { processor, secrets: [], updated_at: null, version: 1, stripe },
      stateOf(Object.assign({ processor }, typed), errors),
    ),
  );

const testMode = '/app/settings/test-mode';
const time = { now: '2027-11-24T12:00:00.000Z', days_ahead: 365 };
const testShown = (isOn: boolean, said: string | null) =>
  shown(
    testMode,
    html`${switchCard(visitAt(testMode), { testMode: isOn, settingsVersion: 3 }, stateOf({}))}${isOn && checkoutsLine([product])}${timeCard(visitAt(testMode), time, stateOf({}))}`,
    said,
  );

const supportNotice = (supportEmailPending: string | null, emailVerified = true) =>
  supportEmailNotice(visitAt('/app/settings'), {
    ...{
      email: 'ada@example.com',
      supportEmail: 'team@atelier.example',
      supportEmailVerified: false,
      supportEmailPending,
      emailVerified,
    },
  });

/** The settings. */
export const settingsStates: Readonly<Record<string, () => Html>> = {
  settings: () =>
    groupAt('/app/settings', { businessName: longName, supportEmail: 'ada@example.com', handle: 'atelier' }),
  'settings-support-pending': () =>
    groupAt('/app/settings', { supportEmail: 'help@atelier.example' }, {}, supportNotice('help@atelier.example')),
  'settings-support-waiting': () =>
    groupAt(
      '/app/settings',
      { supportEmail: 'help@atelier.example' },
      {},
      supportNotice('help@atelier.example', false),
    ),
  'settings-support-unverified': () =>
    groupAt('/app/settings', { supportEmail: 'help@atelier.example' }, {}, supportNotice(null)),
  'settings-refused': () =>
    groupAt(
      '/app/settings',
      { businessName: arabicName },
      { supportEmail: 'Enter an email address, like ada@example.com.' },
    ),
  'settings-pages': () =>
    groupAt(
      '/app/settings/pages',
      { accentColor: '#0b5f4f' },
      { termsUrl: 'Terms must be an https address.' },
      logoCard(null),
    ),
  'settings-pages-too-light': () =>
    groupAt(
      '/app/settings/pages',
      { accentColor: '#FFCC00' },
      { accentColor: 'Accent colour must have a contrast of at least 3 : 1 on the light page.' },
    ),
  'settings-logo': () =>
    inFrame(
      logoPath,
      logoPage({
        visit: visitAt(logoPath),
        logoUrl: '/logo.png',
        state: stateOf({}, { picture: 'Logo is missing.' }),
      }),
    ),
  'settings-selling': () => groupAt('/app/settings/selling', { cancellationNotices: 'on' }),
  'settings-payments': () => paymentsShown('none'),
  'settings-payments-stored': () => paymentsShown('stripe', {}, {}, { live: liveKeys, test: testKeys }),
  'settings-payments-refused': () =>
    paymentsShown(
      'stripe',
      { testPublishableKey: 'pk_live_51Hxyz' },
      {
        liveSecretKey: 'Live secret key is a key for test mode.',
        testSecretKey: 'Test secret key was not stored. Stripe could not be reached to check whose key it is.',
        testPublishableKey: 'Test publishable key is a key for live mode.',
      },
    ),
  'settings-account': () => accountShown({ emailVerified: false }),
  'settings-account-refused': () =>
    accountShown({ emailVerified: true }, { password: 'The current password is not this one.' }),
  'settings-account-email-refused': () =>
    accountShown(
      { emailVerified: true },
      { emailPassword: 'The password is not this one.' },
      { email: 'ada.of.the.long.address@mail.example.com' },
    ),
  'settings-test-mode': () =>
    testShown(
      false,
      passedText(new URLSearchParams({ days: '365', renewals: '12', charged: '$348.00', retried: '3', ended: '1' })),
    ),
};
