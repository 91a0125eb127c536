import { eventTriesAndReplays, messagingTables, publishedAtAndPruneIndexes } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';

/**
 * settings_revision  counts the changes of an account's settings.
 *
 * The accounts that exist tell their settings once, as if they had just signed up: an event's id is the account's with
 * another prefix, as every account has one such event.
 */
export class SettingsAsAnEvent extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table accounts
        add column daily_charge_limit integer not null default 3 check (daily_charge_limit >= 0),
        add column checkout_url text,
        add column settings_revision integer not null default 1`);
    for (const tables of [messagingTables, publishedAtAndPruneIndexes, eventTriesAndReplays]) this.addSql(tables);
    this.addSql(tellSettings);
  }
}

const tellSettings = `
  insert into outbox (event_id, subject, payload)
  select event_id, 'evt.gateway.account.settings-changed.v1',
    json_build_object('id', event_id, 'accountId', id, 'occurredAt', told_at, 'data', json_build_object(
      'handle', handle, 'businessName', business_name, 'supportEmail', support_email,
      'defaultCurrency', default_currency, 'testMode', test_mode, 'holdDecisionMinutes', hold_decision_minutes,
      'nudgeAfterMinutes', nudge_after_minutes, 'commissionHoldDays', commission_hold_days,
      'cancellationNotices', cancellation_notices, 'dailyChargeLimit', daily_charge_limit, 'checkoutUrl', checkout_url,
      'revision', settings_revision, 'changedAt', told_at
    ))::text
  from (
    select 'evt_' || substr(id, 5) as event_id, to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as told_at,
      id, handle, business_name, support_email, default_currency, test_mode, hold_decision_minutes, nudge_after_minutes,
      commission_hold_days, cancellation_notices, daily_charge_limit, checkout_url, settings_revision
    from accounts
  ) as existing
  order by id`;
