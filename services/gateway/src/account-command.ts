import { AdjustableClock } from '@app/service-kit/clock';
import { openDatabase } from '@app/service-kit/database';
import { recoverAccount } from './identity/recover-account.ts';

const usage = `For whoever has lost every passkey, one-time code and backup code.

  recover EMAIL   removes them and ends the sessions of who logs in with this address, and prints a link that
                  logs in, once, within ten minutes. The account's audit log tells of it.

Make sure first that it is the owner who asks.
`;

interface Settings {
  readonly DATABASE_URL: string;
  /** What the link stands under. */
  readonly PUBLIC_URL?: string | undefined;
}

/**
 * What `node src/main.ts account` of the gateway does, beside the running gateway.
 * @param readSettings called once the arguments are understood
 * @returns the exit code: 0 when it is done, 1 when it is not
 */
export async function runAccountCommand(
  [command, email, ...more]: readonly string[],
  readSettings: () => Settings,
  write: (text: string) => void = (text) => void process.stdout.write(text),
): Promise<number> {
  if (command !== 'recover' || email === undefined || more.length > 0) {
    write(usage);
    return 1;
  }
  const { DATABASE_URL: url, PUBLIC_URL: base = '' } = readSettings();
  const applicationName = 'gateway-account';
  const database = await openDatabase({ url, applicationName, poolMax: 2, entities: [], migrations: [] });
  try {
    const recovered = await recoverAccount({ database, clock: new AdjustableClock() }, email);
    if (recovered === null) {
      write(`Nobody logs in with ${email}.\n`);
      return 1;
    }
    write(
      `${recovered.email} logs in with the password alone until a factor is added, and once, within ten minutes, by\n`,
    );
    write(`${base}${recovered.path}\n`);
    if (base === '') write('under the address of this deployment (PUBLIC_URL is not set).\n');
    return 0;
  } finally {
    await database.close();
  }
}
