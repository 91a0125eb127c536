import { Migration } from '@app/service-kit/migrations';

export class RateWindows extends Migration {
  override up(): void {
    this.addSql(`
      -- What callers have used of their windows, over all replicas. Unlogged: it costs no write-ahead log, and after a
      -- crash of the server every window begins anew. ends_at stays as it is within a window, so that counting is a
      -- heap-only update, for which each page keeps room.
      create unlogged table rate_windows (
        caller text primary key,
        ends_at timestamptz not null,
        taken integer not null
      ) with (fillfactor = 70);
      create index rate_windows_ended on rate_windows (ends_at);
    `);
  }
}
