import { parseArgs } from 'node:util';
import { DomainError } from '@app/contracts/errors';
import { AdjustableClock } from '@app/service-kit/clock';
import { type Database, openDatabase } from '@app/service-kit/database';
import { databaseOptions } from './db/migrate.ts';
import { createAccount } from './identity/create-account.ts';
import { recoverAccount } from './identity/recover-account.ts';

const usage = `Beside the running services, for who runs the deployment.

  create EMAIL [--name NAME]   makes an account, also where SIGNUP=closed, and prints a link with which its owner
                               chooses the password, once, within 48 hours. NAME is what buyers see.
  recover EMAIL                for whoever has lost every passkey, one-time code and backup code: removes them and
                               ends the sessions of who logs in with this address, and prints a link that logs in,
                               once, within ten minutes. Make sure first that it is the owner who asks.

The account's audit log tells of both.
`;

interface Settings {
  readonly DATABASE_URL: string;
  /** What the link stands under. */
  readonly PUBLIC_URL?: string | undefined;
}

type Write = (text: string) => void;

/** What a command does with the database, and what it says. */
type Run = (database: Database, base: string, write: Write) => Promise<number>;

/**
 * What `node src/main.ts account` of the gateway does, beside the running gateway.
 * @param readSettings called once the arguments are understood
 * @returns the exit code: 0 when it is done, 1 when it is not
 */
export async function runAccountCommand(
  args: readonly string[],
  readSettings: () => Settings,
  write: Write = (text) => void process.stdout.write(text),
): Promise<number> {
  const run = commandOf(args);
  if (run === null) {
    write(usage);
    return 1;
  }
  const { DATABASE_URL: url, PUBLIC_URL: base = '' } = readSettings();
  const database = await openDatabase({
    ...databaseOptions(url),
    ...{ applicationName: 'gateway-account', poolMax: 2, migrations: [] },
  });
  try {
    return await run(database, base, write);
  } finally {
    await database.close();
  }
}

function commandOf(args: readonly string[]): Run | null {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch {
    return null;
  }
  const [command, email, ...more] = parsed.positionals;
  const { name } = parsed.values;
  if (email === undefined || more.length > 0) return null;
  if (command === 'recover' && name === undefined) return recover(email);
  return command === 'create' ? create(email, name ?? email.split('@')[0] ?? '') : null;
}

const parse = (args: readonly string[]) =>
  parseArgs({ args: [...args], options: { name: { type: 'string' } }, allowPositionals: true });

const recover =
  (email: string): Run =>
  async (database, base, write) => {
    const recovered = await recoverAccount({ database, clock: new AdjustableClock() }, email);
    if (recovered === null) {
      write(`Nobody logs in with ${email}.\n`);
      return 1;
    }
    write(
      `${recovered.email} logs in with the password alone until a factor is added, and once, within ten minutes, by\n`,
    );
    writeLink(base, recovered.path, write);
    return 0;
  };

const create =
  (email: string, name: string): Run =>
  async (database, base, write) => {
    try {
      const made = await createAccount({ database, clock: new AdjustableClock() }, { email: email.trim(), name });
      write(`An account was made. ${made.email} chooses its password, once, within 48 hours, by\n`);
      writeLink(base, made.path, write);
      return 0;
    } catch (err) {
      if (!(err instanceof DomainError)) throw err;
      write(
        err.code === 'email_taken'
          ? `${email} has an account: \`recover\` prints a link that logs in.\n`
          : `${[err.message, ...err.errors.map((error) => `${error.field} ${error.message}.`)].join(' ')}\n`,
      );
      return 1;
    }
  };

function writeLink(base: string, path: string, write: Write): void {
  write(`${base}${path}\n`);
  if (base === '') write('under the address of this deployment (PUBLIC_URL is not set).\n');
}
