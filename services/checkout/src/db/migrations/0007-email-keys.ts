import { withoutKeyIndex } from '@app/service-kit/email-keys';
import { Migration } from '@app/service-kit/migrations';

/**
 * `email_key` is what buyers are told apart by (`emailKey` of @app/contracts); null in rows of the release before until the service
 * makes it. Indexes by `lower(…)` stay for that release, and so does `earlier_purchases`, which locks
 * the same buyers as `buyersLock` does, as long as their addresses are in ASCII.
 */
export class EmailKeys extends Migration {
  override up(): void {
    for (const table of ['orders', 'checkouts', 'sold_subscriptions', 'reminders', 'opt_outs'])
      this.addSql(`alter table ${table} add email_key text`);
    this.addSql(indexes);
    this.addSql(changedByTheReleaseBefore);
  }
}

const indexes = `
  ${withoutKeyIndex('orders', 'customer_email')};
  ${withoutKeyIndex('checkouts', 'email')};
  ${withoutKeyIndex('sold_subscriptions', 'email')};
  ${withoutKeyIndex('reminders', 'email')};
  ${withoutKeyIndex('opt_outs', 'email', 'email')};
  create index orders_of_email_key on orders (account_id, email_key, product_id) where not test;
  create index rehearsals_of_email_key on orders (account_id, email_key) where test;
  create index checkouts_stalled_by_key on checkouts (account_id, email_key, product_id, created_at desc, id desc)
    where status = 'open' and email is not null and not test;
  create index checkouts_under_way_by_key on checkouts (account_id, email_key, product_id)
    where status in ('processing', 'requires_action') and not test;
  create index sold_subscriptions_living_by_key on sold_subscriptions (account_id, email_key, product_id)
    where ended_at is null;
  create index reminders_of_key on reminders (account_id, email_key, product_id);
  create index opt_outs_of_key on opt_outs (account_id, email_key)`;

/** The release before writes another address beside the key of the first one. */
const changedByTheReleaseBefore = `
  create function forget_email_key() returns trigger language plpgsql as $$
  begin
    new.email_key := null;
    return new;
  end $$;
  create trigger checkouts_forget_email_key before update of email on checkouts for each row
    when (new.email is distinct from old.email and new.email_key is not distinct from old.email_key)
    execute function forget_email_key()`;
