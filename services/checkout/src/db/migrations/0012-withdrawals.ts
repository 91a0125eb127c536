import { Migration } from '@app/service-kit/migrations';

/**
 * withdrawals  declared by buyers, or whoever gives a name: `name`, `bought` and `email` as they were typed. `bought_key` is
 *              `bought` without what people write differently. `order_id` is the order that was found for it, or that the seller named;
 *              `late` whether it came after the days that the shop gave, null without an order. One that is not declined is
 *              unique for an address and what it is about: repeats write nothing.
 */
export class Withdrawals extends Migration {
  override up(): void {
    this.addSql(withdrawals);
  }
}

const withdrawals = `
  create table withdrawals (
    id text primary key,
    account_id text not null,
    name text not null,
    bought text not null,
    bought_key text not null,
    email text not null,
    email_key text not null,
    statement text not null,
    order_id text references orders (id),
    late boolean,
    test boolean not null,
    status text not null check (status in ('requested', 'accepted', 'declined')),
    answer text,
    requested_at timestamptz not null,
    closed_at timestamptz,
    constraint closed_at_its_end check ((status = 'requested') = (closed_at is null)),
    constraint declined_with_an_answer check ((status = 'declined') = (answer is not null)),
    constraint accepted_for_an_order check (status <> 'accepted' or order_id is not null),
    constraint late_for_an_order check ((order_id is null) = (late is null))
  );
  create unique index withdrawals_once on withdrawals (account_id, email_key, coalesce(order_id, bought_key))
    where status <> 'declined';
  create index withdrawals_listed on withdrawals (account_id, id);
  create index withdrawals_of_status on withdrawals (account_id, status, id)`;
