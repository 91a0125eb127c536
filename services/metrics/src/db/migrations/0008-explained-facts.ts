import { Migration } from '@app/service-kit/migrations';

/**
 * facts_explained    a product's facts of one kind in the order in which an explanation lists them.
 * facts_by_customer  whether a buyer bought a product before. It begins with what tells most apart.
 *
 * Together they cost an order some 10 µs of PostgreSQL's time when its fact is recorded.
 */
export class ExplainedFacts extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create index facts_explained on facts (account_id, product_id, kind, occurred_at, seq)
      where not test`);
    this.addSql(`
      create index facts_by_customer on facts (email_key, product_id, account_id, occurred_at, seq)
      where kind = 'order_paid' and not test`);
  }
}
