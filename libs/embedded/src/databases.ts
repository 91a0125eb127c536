import pg from 'pg';

export interface DatabaseOwner {
  database: string;
  user: string;
  password: string;
}

/** Any number: it keeps two processes from creating the same role at once, which PostgreSQL answers with an error. */
const ensureLock = 7_213_004;
/** Shared by sessions that create a database: those of a killed process go on when the lock above is free again. */
const createLock = 7_213_005;
/** The second lock is free at once again: sessions of this process are to share it. */
const lockOut = 'select pg_advisory_lock($1), pg_advisory_lock($2), pg_advisory_unlock($2)';

/** On a busy machine a server that has just started takes its time; one that never answers must not be waited for. */
const connectMs = 30_000;

/**
 * Sees to it that each role exists with that password and owns its database, which no other role may connect to.
 * May be called any number of times, also by several processes at once.
 * @param copying called as soon as PostgreSQL works on the last database, for which it needs nothing of this process
 */
export async function ensureDatabases(
  adminUrl: string,
  databases: DatabaseOwner[],
  copying = (): void => undefined,
): Promise<void> {
  await withClient(adminUrl, async (client) => {
    await client.query(lockOut, [ensureLock, createLock]);
    await ensureRoles(client, databases);
    const names = databases.map(({ database }) => database);
    const { rows } = await client.query('select datname from pg_database where datname = any($1)', [names]);
    const missing = databases.filter(({ database }) => !rows.some(({ datname }) => datname === database));
    await createDatabases(adminUrl, missing, copying);
    await together(
      client,
      names.map((name) => `revoke connect on database ${client.escapeIdentifier(name)} from public`),
    );
  });
}

export async function databaseExists(adminUrl: string, database: string): Promise<boolean> {
  return await withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    return rowCount !== 0;
  });
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs });
  // Without a listener a server that goes away would end the process; the statement under way fails too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function ensureRoles(client: pg.Client, databases: DatabaseOwner[]): Promise<void> {
  const names = databases.map(({ user }) => user);
  const { rows } = await client.query<{ rolname: string }>('select rolname from pg_roles where rolname = any($1)', [
    names,
  ]);
  const existing = new Set(rows.map(({ rolname }) => rolname));
  const statements = databases.map(({ user, password }) => {
    const verb = existing.has(user) ? 'alter' : 'create';
    return `${verb} role ${client.escapeIdentifier(user)} login password ${client.escapeLiteral(password)}`;
  });
  await together(client, statements);
}

/** In one transaction: every start runs them, and waits for the disk once instead of once for each. */
async function together(client: pg.Client, statements: string[]): Promise<void> {
  await client.query(statements.join(';\n'));
}

/** Only a superuser may set it; null says that this user is none. */
const beginCreating = `select pg_advisory_lock_shared($1), (select set_config('wal_compression', 'off', false)
  from pg_roles where rolname = current_user and rolsuper) as compression`;

/** Each copies the template's files: side by side, because that is most of the time that a first start takes here. */
async function createDatabases(
  adminUrl: string,
  missing: readonly DatabaseOwner[],
  copying: () => void,
): Promise<void> {
  let waiting = missing.length;
  if (waiting === 0) copying();
  const create = async (client: pg.Client, wanted: DatabaseOwner): Promise<void> => {
    const [user, database] = [client.escapeIdentifier(wanted.user), client.escapeIdentifier(wanted.database)];
    // The copy goes through the log: to compress its 7 MB takes longer than to write them.
    const { rows } = await client.query<{ compression: string | null }>(beginCreating, [createLock]);
    // Only a member of a role may give it a database, and who made the role may become one.
    if (rows[0]?.compression === null) await client.query(`grant ${user} to current_user`);
    const created = client.query(`create database ${database} owner ${user}`);
    waiting -= 1;
    if (waiting === 0) copying();
    await created;
  };
  const ends = await Promise.allSettled(
    missing.map((wanted) => withClient(adminUrl, (client) => create(client, wanted))),
  );
  // Not before all have ended: the caller holds the lock that keeps another call from the same databases.
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** The administrator's URL with another database, and another user where one is given. */
export function databaseUrl(adminUrl: string, database: string, user?: string, password?: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${encodeURIComponent(database)}`;
  if (user !== undefined) {
    url.username = encodeURIComponent(user);
    url.password = encodeURIComponent(password ?? '');
  }
  return url.href;
}
