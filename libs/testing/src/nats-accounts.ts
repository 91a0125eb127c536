import type { ServiceName } from '@app/contracts/services';
import { natsLimitsConfig, natsUsers } from '@app/messaging/permissions';
import { testWorkers } from './workers.ts';

/** A test file opens a few accounts at most. */
const accountsEach = 6;
export const testPassword = 'test-password';
export const testObserver = 'test-observer';

/** User names are the whole server's: the same service has another in each account. */
export const userOf = (name: ServiceName | typeof testObserver, account: number): string => `${name}-${account}`;

/** Of the calling test process alone; Vitest counts its processes from 1. */
export const accountsOfProcess = (): number[] =>
  Array.from({ length: accountsEach }, (_, n) => (Number(process.env.VITEST_POOL_ID ?? 1) - 1) * accountsEach + n);

/**
 * Streams reserve what they are bounded to, and a server offers three quarters of what is free where its files are: the files
 * of tests may be in memory, and a test that needs a full disk makes one.
 */
const storageConfig = 'jetstream: { max_file_store: 1TB }\n';

/** One nats-server for all test files: an account is a server of its own to its users, with its own streams. */
export function natsAccountsConfig(): string {
  const password = JSON.stringify(testPassword);
  const account = (number: number): string => {
    const observer = { user: userOf(testObserver, number), password };
    const users = natsUsers((service) => ({ user: userOf(service, number), password }), [observer]);
    return `  TEST_${number}: {\n  jetstream: enabled\n  users: ${users}\n  }`;
  };
  const accounts = Array.from({ length: testWorkers * accountsEach }, (_, number) => account(number));
  return `${natsLimitsConfig}${storageConfig}accounts: {\n${accounts.join('\n')}\n}\n`;
}
