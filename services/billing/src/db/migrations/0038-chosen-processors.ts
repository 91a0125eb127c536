import { Migration } from '@app/service-kit/migrations';

/**
 * Before, an account that had chosen no payment processor had the simulated one. Those that sold through it, or whose
 * subscriptions renew there, have chosen it from now on; the others choose before they sell.
 */
export class ChosenProcessors extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      insert into processor_settings (account_id, processor, chosen, updated_at)
      select account_id, 'simulated', true, now() from (
        select account_id from payments where not test and processor = 'simulated'
        union
        select account_id from subscriptions where not test and processor = 'simulated') as used
      where account_id not in (select account_id from processor_settings where chosen)
      on conflict (account_id, processor) do update set chosen = true`);
  }
}
