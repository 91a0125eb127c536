import { messagingTables } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';
import { facts } from './0001-initial/facts.ts';
import { rollups } from './0001-initial/rollups.ts';

const parts = [messagingTables, facts, rollups];

/** The tables of facts and their roll-ups. */
export class Initial extends Migration {
  override up(): void {
    for (const part of parts) this.addSql(part);
  }
}
