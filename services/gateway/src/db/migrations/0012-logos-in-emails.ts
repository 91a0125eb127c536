import { accountSettingsChanged, type Settings } from '@app/contracts/accounts';
import { outboxColumns, outboxRow, outboxTypes } from '@app/messaging/outbox';
import { Migration } from '@app/service-kit/migrations';
import { recordOf } from '@app/service-kit/row-arrays';

interface Row extends Settings {
  readonly id: string;
  readonly revision: number;
}

/** Columns under the names of the settings. */
const named = `id, settings_revision + 1 as revision, handle, business_name as "businessName", support_email as "supportEmail",
  support_email_verified as "supportEmailVerified", email, email_verified as "emailVerified", default_currency as "defaultCurrency",
  test_mode as "testMode", hold_decision_minutes as "holdDecisionMinutes", nudge_after_minutes as "nudgeAfterMinutes",
  commission_hold_days as "commissionHoldDays", cancellation_notices as "cancellationNotices",
  daily_charge_limit as "dailyChargeLimit", checkout_url as "checkoutUrl", accent_color as "accentColor", terms_url as "termsUrl",
  refund_policy_url as "refundPolicyUrl", logo_name as "logoName", portal_cancel as "portalCancel", portal_pause as "portalPause",
  statement_suffix as "statementSuffix"`;

/** Publishes the settings of accounts that have a logo: earlier events of them do not name it, and emails show it. */
export class LogosInEmails extends Migration {
  override async up(): Promise<void> {
    const nowMs = Date.now();
    const found = await this.execute(
      `select ${named} from accounts where logo_name is not null order by id for update`,
    );
    if (found.length === 0) return;
    const events = (found as Row[]).map(({ id: accountId, ...settings }) =>
      outboxRow(
        accountSettingsChanged,
        { ...settings, changedAt: new Date(nowMs).toISOString() },
        { accountId, requestId: null, nowMs },
      ),
    );
    this.addSql('update accounts set settings_revision = settings_revision + 1 where logo_name is not null');
    this.addSql(`insert into outbox (${outboxColumns}) select ${outboxColumns}
      from json_to_recordset('${JSON.stringify(events).replaceAll("'", "''")}'::json) as e (${recordOf(outboxTypes)})`);
  }
}
