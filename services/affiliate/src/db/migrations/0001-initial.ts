import { messagingTables } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';

export class Initial extends Migration {
  override async up(): Promise<void> {
    this.addSql(messagingTables);
    this.addSql(affiliates);
    this.addSql(commissions);
    this.addSql('create index commissions_listed on commissions (account_id, affiliate_id, id desc)');
  }
}

/** A percentage is stored in hundredths of a percent, because integers are exact. */
const affiliates = `
  create table affiliates (
    account_id text not null,
    id text not null,
    code text not null,
    code_key text not null generated always as (lower(code)) stored,
    name text not null,
    email text not null,
    commission_basis_points integer check (commission_basis_points between 0 and 10000),
    commission_cents bigint check (commission_cents >= 0),
    renewal_months integer not null check (renewal_months >= 0),
    created_at timestamptz(3) not null,
    primary key (account_id, id),
    constraint affiliates_code_unique unique (account_id, code_key),
    constraint affiliates_one_commission check (num_nonnulls(commission_basis_points, commission_cents) = 1)
  )`;

const commissions = `
  create table commissions (
    account_id text not null,
    id text not null,
    affiliate_id text not null,
    order_id text not null,
    amount_cents bigint not null check (amount_cents >= 0),
    currency text not null,
    status text not null check (status in ('pending', 'due', 'paid', 'voided')),
    created_at timestamptz(3) not null,
    primary key (account_id, id),
    constraint commissions_order_unique unique (account_id, order_id),
    constraint commissions_affiliate foreign key (account_id, affiliate_id) references affiliates (account_id, id)
  )`;
