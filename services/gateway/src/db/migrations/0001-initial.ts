import { messagingTables, sentNotificationsTable } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';
import { accounts } from './0001-initial/accounts.ts';
import { apiKeys, users } from './0001-initial/identity.ts';
import { letters, portal } from './0001-initial/letters.ts';
import { requests } from './0001-initial/requests.ts';

const parts = [messagingTables, sentNotificationsTable, accounts, users, apiKeys, requests, letters, portal];

/** The tables of accounts, those who act for them, requests and letters. */
export class Initial extends Migration {
  override up(): void {
    for (const part of parts) this.addSql(part);
  }
}
