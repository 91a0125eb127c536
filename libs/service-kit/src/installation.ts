import { minuteMs } from '@app/contracts/durations';
import { startLoop } from './background-loop.ts';
import { type Database, statement } from './database.ts';
import type { Logger } from './logger.ts';
import { observeGauges, serviceGauge } from './metrics.ts';
import { Migration } from './migrations.ts';
import { definePoint } from './points.ts';
import type { Check } from './service.ts';

/*
 * A database that was copied or restored still holds payments to make, webhooks to send and emails to write, which the original sends too.
 * So each service's database knows the installation that it belongs to by two things that a copy does not carry: the id that the process is given
 * (`INSTALLATION_ID`), and the object number of its table, which a restored dump makes anew. Where either is another, nothing goes out
 * until an operator says that this is the original now (`adopt`).
 */

/** A service knows whether it is a copy, or has found out that it is no longer. */
export const installationKnown = definePoint<{ readonly service: string; readonly state: 'copy' | 'original' }>(
  'service-kit.installation-known',
);

class MakeInstallation extends Migration {
  override up(): void {
    this.addSql(`create table installation (
      singleton boolean primary key default true check (singleton),
      id text,
      made_in oid not null,
      adopted_at timestamptz not null default now())`);
  }
}

/** A migration of every service: each knows for itself whether it is a copy. */
export const installationMigration = { name: '0003-installation', class: MakeInstallation };

/** Whether what this process is given is the installation that its database belongs to. */
export interface Installation {
  /** Nothing may go out: no charge, no webhook, no email. Also while it is not known, because the database was not there yet. */
  isCopy(): boolean;
  /** Whether that is because it is not known, which says nothing of a copy to people. */
  isUnknown(): boolean;
  /** What is refused is refused with this; undefined in the original. */
  refusal(): string | undefined;
  /** Says it to people; it fails only while it is not known. */
  readonly check: Check;
  close(): Promise<void>;
}

const copyWarning =
  'this is a copy of an installation: it charges nobody and sends nothing until npm run adopt makes it the original';

/** What an operation that would change something is refused with. */
export const copyRefusal =
  'This is a copy of an installation, or a restored one: it changes nothing and sends nothing until its operator makes it the original (npm run adopt).';

/** The same while it is not known: the database has not answered since the start. */
const unknownRefusal =
  'The database has not answered since the start: nothing is changed until it does. Try again soon.';

const refusals = { unknown: unknownRefusal, copy: copyRefusal, original: undefined };

const enterStatement = statement(
  'installation-enter',
  `insert into installation (id, made_in) values ($1, 'installation'::regclass) on conflict do nothing`,
);

/** A database of before the setting was given belongs to the first process that has it. */
const nameStatement = statement('installation-name', 'update installation set id = $1 where id is null');

const readStatement = statement<{ readonly id: string | null; readonly restored: boolean }>(
  'installation-read',
  `select id, made_in <> 'installation'::regclass as restored from installation`,
  { id: 'text', restored: 'bool' },
);

const adoptStatement = statement(
  'installation-adopt',
  `insert into installation (id, made_in) values ($1, 'installation'::regclass)
   on conflict (singleton) do update set id = excluded.id, made_in = excluded.made_in, adopted_at = now()`,
);

/** Soon enough for an operator who waits for it. */
const readAgainAfterMs = 2_000;
const findAgainAfterMs = 250;

export interface InstallationOptions {
  readonly logger: Logger;
  readonly service: string;
  /** How often an original checks that it still is one, in milliseconds of real time; a minute unless given. */
  readonly checkEveryMs?: number;
}

/**
 * Finds out whether this is the original, and goes on checking: an operator may make a copy the original, the database may only come, and
 * a dump, or another installation's backup, may be restored under a process that goes on running.
 * @param id of the process; undefined where it was given none
 */
export async function openInstallation(
  database: Database,
  id: string | undefined,
  { logger, service, checkEveryMs = minuteMs }: InstallationOptions,
): Promise<Installation> {
  let state: 'unknown' | 'copy' | 'original' = 'unknown';
  const find = async (): Promise<void> => {
    const found = (await belongs(database, id)) ? 'original' : 'copy';
    if (found === state) return;
    if (found === 'copy') logger.warn(copyWarning);
    if (found === 'original' && state === 'copy') logger.info('this is the original installation now');
    state = found;
    installationKnown.announce(() => ({ service, state: found }));
  };
  const gauge = serviceGauge('installation.copy', '{copy}', 'Whether nothing goes out, because this is a copy');
  const observed = observeGauges(service, [gauge], async () => [{ gauge, value: state === 'copy' ? 1 : 0 }]);
  await find().catch(() => undefined);
  const loop = startLoop({
    name: 'installation',
    firstAfterMs: findAgainAfterMs,
    round: find,
    pauseMs: () => (state === 'original' ? checkEveryMs : state === 'copy' ? readAgainAfterMs : findAgainAfterMs),
    // Readiness says that the database is missing.
    onFailure: () => undefined,
  });
  return {
    isCopy: () => state !== 'original',
    isUnknown: () => state === 'unknown',
    refusal: () => refusals[state],
    check: {
      name: 'installation',
      check: async () => {
        if (state === 'unknown') throw new Error('it is not known yet whether this is a copy');
      },
      warning: () => (state === 'copy' ? copyWarning : undefined),
    },
    close: async () => {
      observed.close();
      await loop.close();
    },
  };
}

/** One statement at nearly every start: only the first one enters the installation, and only the first one that has an id names it. */
async function belongs({ pool }: Database, id: string | undefined): Promise<boolean> {
  const read = async () => (await pool.query(readStatement())).rows[0];
  let row = await read();
  if (row === undefined) {
    await pool.query(enterStatement([id ?? null]));
    row = await read();
  }
  if (row?.id === null && id !== undefined) {
    await pool.query(nameStatement([id]));
    row = await read();
  }
  return row !== undefined && !row.restored && row.id === (id ?? null);
}

/** Makes what is there the original: what waited goes out within seconds. */
export async function adoptInstallation({ pool }: Pick<Database, 'pool'>, id: string | undefined): Promise<void> {
  await pool.query(adoptStatement([id ?? null]));
}
