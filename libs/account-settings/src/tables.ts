/**
 * account_settings   settings of accounts as the gateway's last event of them has them, all of them, so that a new setting needs
 *                    no migration here. `revision` is the number of the change. A service's first migration runs this.
 */
export const accountSettingsTable = `
  create table account_settings (
    account_id text primary key,
    revision integer not null,
    settings jsonb not null
  )`;
