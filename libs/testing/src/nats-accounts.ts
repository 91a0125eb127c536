import { natsAccounts, natsLimitsConfig } from '@app/messaging/nats-config';
import { testWorkers } from './workers.ts';

/** A test file opens a few pairs of accounts at most. */
const accountsEach = 6;
export const testPassword = 'test-password';
/** May read and write everything in the account of the streams; `testCaller` in that of the services. */
export const testObserver = 'test-observer';
export const testCaller = 'test-caller';

/** User names are the whole server's: the same service has another in each pair of accounts. */
export const userOf = (name: string, account: number): string => `${name}-${account}`;

/** Of the calling test process alone; Vitest counts its processes from 1. */
export const accountsOfProcess = (): number[] =>
  Array.from({ length: accountsEach }, (_, n) => (Number(process.env.VITEST_POOL_ID ?? 1) - 1) * accountsEach + n);

/**
 * Streams reserve what they are bounded to, and a server offers three quarters of what is free where its files are: the files
 * of tests may be in memory, and a test that needs a full disk makes one.
 */
export const storageConfig = 'jetstream: { max_file_store: 1TB }\n';

/** One nats-server for all test files: a pair of accounts is a server of its own to its users, with its own streams. */
export function natsAccountsConfig(): string {
  const password = JSON.stringify(testPassword);
  const login = (number: number) => (name: string) => ({ user: userOf(name, number), password });
  const pair = (number: number): string => {
    const of = login(number);
    const observers = { streams: of(testObserver), services: of(testCaller) };
    return natsAccounts({ login: of, suffix: `_${number}`, observers });
  };
  const pairs = Array.from({ length: testWorkers * accountsEach }, (_, number) => pair(number));
  return `${natsLimitsConfig}${storageConfig}accounts: {\n${pairs.join('')}}\n`;
}
