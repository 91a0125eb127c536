import type { CheckoutAccount } from '@app/contracts/checkouts';
import { type Database, statement } from '@app/service-kit/database';

/** The account behind a handle, as a checkout that is opened now shows it. */
export interface Seller {
  readonly accountId: string;
  /** The current one; the requested one may be an earlier one. */
  readonly handle: string;
  readonly account: CheckoutAccount;
  readonly appearance: Appearance;
}

/** The appearance of the seller's pages. */
interface Appearance {
  readonly logoName: string | null;
  readonly accentColor: string | null;
  readonly termsUrl: string | null;
  readonly refundPolicyUrl: string | null;
  readonly portalCancel: boolean;
  readonly withdrawalDays: number;
  readonly immediateAccessConsent: boolean;
}

const accountByHandle = statement<Row>(
  'account-by-handle',
  `select a.id, a.handle, a.test_mode, a.support_email, a.business_name, a.hold_decision_minutes,
     a.settings_revision, a.logo_name, a.accent_color, a.terms_url, a.refund_policy_url, a.portal_cancel,
     a.withdrawal_days, a.immediate_access_consent
   from accounts as a where a.id = coalesce(
     (select h.account_id from account_handles as h where h.handle = $1), (select id from accounts where handle = $1))`,
  {
    accent_color: 'text',
    business_name: 'text',
    handle: 'text',
    hold_decision_minutes: 'int4',
    id: 'text',
    logo_name: 'text',
    immediate_access_consent: 'bool',
    portal_cancel: 'bool',
    refund_policy_url: 'text',
    settings_revision: 'int4',
    support_email: 'text',
    terms_url: 'text',
    test_mode: 'bool',
    withdrawal_days: 'int4',
  },
);

interface Row {
  readonly id: string;
  readonly handle: string;
  readonly test_mode: boolean;
  readonly support_email: string;
  readonly business_name: string;
  readonly hold_decision_minutes: number;
  readonly settings_revision: number;
  readonly logo_name: string | null;
  readonly accent_color: string | null;
  readonly terms_url: string | null;
  readonly refund_policy_url: string | null;
  readonly portal_cancel: boolean;
  readonly withdrawal_days: number;
  readonly immediate_access_consent: boolean;
}

/** The account that has the handle, or had it. Null when there is none. */
export async function findSeller({ pool }: Database, handle: string): Promise<Seller | null> {
  const { rows } = await pool.query(accountByHandle([handle]));
  const [row] = rows;
  if (row === undefined) return null;
  return {
    accountId: row.id,
    handle: row.handle,
    account: {
      testMode: row.test_mode,
      supportEmail: row.support_email,
      businessName: row.business_name,
      holdDecisionMinutes: row.hold_decision_minutes,
      settingsRevision: row.settings_revision,
    },
    appearance: {
      logoName: row.logo_name,
      accentColor: row.accent_color,
      termsUrl: row.terms_url,
      refundPolicyUrl: row.refund_policy_url,
      portalCancel: row.portal_cancel,
      withdrawalDays: row.withdrawal_days,
      immediateAccessConsent: row.immediate_access_consent,
    },
  };
}
