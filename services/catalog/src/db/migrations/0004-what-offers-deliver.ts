import { Migration } from '@app/service-kit/migrations';

/** Where buyers of a bump or an upsell find it, and what is said of it; null for those before. */
export class WhatOffersDeliver extends Migration {
  override up(): void {
    this.addSql('alter table offers add access_url text, add description text');
  }
}
