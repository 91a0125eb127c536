import pg from 'pg';

export interface DatabaseOwner {
  database: string;
  user: string;
  /** Random. */
  password: string;
}

/**
 * Any number: it keeps two processes from creating the same role at once, which PostgreSQL answers with an error. The session
 * that has it creates the databases as well: that of a killed process keeps it until its database is there.
 */
const ensureLock = 7_213_004;

/** On a busy machine a server that has just started takes its time; one that never answers must not be waited for. */
const connectMs = 30_000;

/**
 * Sees to it that each role exists with that password and owns its database, which no other role may connect to.
 * May be called any number of times, also by several processes at once.
 * @param ready called with the name of each database as soon as it may be used: first of those that were there
 */
export async function ensureDatabases(
  adminUrl: string,
  databases: DatabaseOwner[],
  ready = (_database: string): void => undefined,
): Promise<void> {
  await withClient(adminUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [ensureLock]);
    await ensureRoles(client, databases);
    const names = databases.map(({ database }) => database);
    const { rows } = await client.query('select datname from pg_database where datname = any($1)', [names]);
    const isThere = ({ database }: DatabaseOwner): boolean => rows.some(({ datname }) => datname === database);
    const existing = databases.filter(isThere);
    await together(
      client,
      existing.map(({ database }) => closeToOthers(client, database)),
    );
    for (const { database } of existing) ready(database);
    const missing = databases.filter((wanted) => !isThere(wanted));
    if (missing.length > 0) await createDatabases(client, missing, ready);
  });
}

const closeToOthers = (client: pg.Client, database: string): string =>
  `revoke connect on database ${client.escapeIdentifier(database)} from public`;

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

/**
 * Stretching protects guessable passwords; those of the roles are random, and each connection would pay for it. PostgreSQL
 * before 16 has no such setting.
 */
const withoutStretching = `select set_config('scram_iterations', '1', false) from pg_settings where name = 'scram_iterations'`;

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
  await together(client, [withoutStretching, ...statements]);
}

/** In one transaction: every start runs them, and waits for the disk once instead of once for each. */
async function together(client: pg.Client, statements: string[]): Promise<void> {
  await client.query(statements.join(';\n'));
}

/**
 * The copy of the template goes through the log: to compress its 7 MB takes longer than to write them. Only a superuser may
 * set it, and only their role has a row.
 */
const beginCreating = `select set_config('wal_compression', 'off', false) from pg_roles where rolname = current_user and rolsuper`;

/** One after the other: side by side they take twice the CPU time and end no sooner, and each is used as soon as it is there. */
async function createDatabases(
  client: pg.Client,
  missing: readonly DatabaseOwner[],
  ready: (database: string) => void,
): Promise<void> {
  const isSuperuser = (await client.query(beginCreating)).rowCount === 1;
  for (const { database, ...owner } of missing) {
    const user = client.escapeIdentifier(owner.user);
    // Only a member of a role may give it a database, and who made the role may become one.
    if (!isSuperuser) await client.query(`grant ${user} to current_user`);
    await client.query(`create database ${client.escapeIdentifier(database)} owner ${user}`);
    await client.query(closeToOthers(client, database));
    ready(database);
  }
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
