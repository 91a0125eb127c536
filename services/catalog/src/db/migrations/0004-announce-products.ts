import { Migration } from '@app/service-kit/migrations';

/**
 * Tells of the products that were created before `product.created` existed. The event's id is the product's own: older
 * than that of any renaming, so that consumers, which keep the name of the latest event, keep a later name.
 */
export class AnnounceProducts extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      insert into outbox (event_id, subject, payload)
      select event_id, 'evt.catalog.product.created.v1', json_build_object(
        'id', event_id,
        'accountId', account_id,
        'occurredAt', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'data', json_build_object('productId', id, 'name', name, 'pricingType', pricing_type))::text
      from (
        select 'evt_' || substr(id, 5) as event_id, account_id, id, name, pricing_type, created_at from products
      ) as announced
      order by account_id, id`);
  }
}
