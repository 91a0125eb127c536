import { Migration } from '@app/service-kit/migrations';

/**
 * - `unsettled_endpoints`: the newest delivery that is to be held, to be dropped, or to be dropped unless it is of an
 *   order, and how far the last of the three is; endpoints/apply-change.ts.
 * - `failing_endpoints.warned_at`: when the seller was told that nothing is delivered.
 * - `notices.endpoint_id`: the endpoint or the automation that a notice is about.
 */
export class EndpointsExplained extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table unsettled_endpoints
        add hold_until text collate "C",
        add discard_until text collate "C",
        add others_until text collate "C",
        add others_after text collate "C" not null default ''`);
    // Who switched it off is in the notice of that moment; without one it was the seller.
    this.addSql(`
      update endpoints e set switched_off_at = updated_at, switched_off_reason = case when exists (
        select from notices n where n.account_id = e.account_id and n.url = e.url
          and n.created_at >= e.updated_at - interval '1 second' and n.summary like '%was switched off: all%')
        then 'failing' else 'seller' end
      where not active and url is not null`);
    this.addSql('alter table failing_endpoints add warned_at timestamptz');
    this.addSql('alter table notices add endpoint_id text');
    this.addSql(`
      create index notices_of_endpoint on notices (account_id, endpoint_id, id) where endpoint_id is not null`);
  }
}
