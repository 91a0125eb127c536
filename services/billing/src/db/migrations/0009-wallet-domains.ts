import { Migration } from '@app/service-kit/migrations';

/**
 * processor_domains   the domains that wallets are shown on, for each stored key: `domains` as the API shows them, compared for
 *                     `base`, the address of this deployment, and `checkout_url`, the seller's own page. A row with
 *                     `next_attempt_at` is compared with Stripe then; until `claimed_until` a replica does that.
 */
export class WalletDomains extends Migration {
  override up(): void {
    this.addSql(`create table processor_domains (
      account_id text not null,
      processor text not null,
      test boolean not null,
      at_processor text not null,
      status text not null check (status in ('registered', 'pending', 'not_permitted', 'no_public_url')),
      domains json not null default '[]',
      base text,
      checkout_url text,
      attempts integer not null default 0,
      claimed_until timestamptz,
      next_attempt_at timestamptz,
      primary key (account_id, processor, test, at_processor)
    )`);
    this.addSql(
      'create index processor_domains_due on processor_domains (next_attempt_at) where next_attempt_at is not null',
    );
    this.addSql(`insert into processor_domains (account_id, processor, test, at_processor, status, next_attempt_at)
      select account_id, processor, test, at_processor, 'pending', 'epoch' from processor_keys
      where processor = 'stripe' and current`);
  }
}
