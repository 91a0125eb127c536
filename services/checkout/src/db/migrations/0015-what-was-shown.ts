import { Migration } from '@app/service-kit/migrations';

/**
 * shown_quote        stands for the lines, the total and the renewal that the buyer saw last (`quoteOf`); null in checkouts that
 *                    were opened before: of these the total alone is compared.
 * settings_revision  the number of the account's settings at the opening. Settings here that are older say nothing of its mode.
 */
export class WhatWasShown extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table checkouts add column shown_quote text, add column settings_revision integer');
  }
}
