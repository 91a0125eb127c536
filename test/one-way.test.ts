import { describe, expect, test } from 'vitest';
import { isTest, linesMatching, read, typeScriptFiles } from './support/repository.ts';

const source = typeScriptFiles().filter((file) => !isTest(file));
const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');

describe('one way for each thing', () => {
  // What waits together shares one batcher: its names, its bounds, its spans and its slots are the same for all.
  test('what batches is a createBatcher, but for the batches that streams deliver', () => {
    const ownSource = source.filter((file) => /^(services|libs)\/[^/]+\/src\//.test(file));
    const usesSpans = ownSource.filter((file) => /import [^;]*\binBatchSpan\b/.test(read(file)));
    expect(usesSpans).toEqual(['libs/messaging/src/take-effect.ts', 'libs/service-kit/src/batcher.ts']);
    expect(linesMatching(ownSource, /\b(maxBatch|gatherMs|batchStatement|createBatchedStep)\b/)).toEqual([]);
  });

  test('what has a limit in time is within, and a plain sleep is that of Node', () => {
    const own = source.filter((file) => /^(libs\/(?!testing\/)|services\/)[^/]+\/src\//.test(file));
    expect(own.filter((file) => /\bsetTimeout\((\(\) => )?(resolve|reject)\b/.test(read(file)))).toEqual([
      'libs/service-kit/src/waker.ts',
      'libs/service-kit/src/within.ts',
    ]);
    // The others wait for something else than a limit, or for one limit over several steps.
    expect(own.filter((file) => read(file).includes('Promise.race('))).toEqual([
      'libs/email/src/smtp-transport.ts',
      'libs/messaging/src/publish-outbox.ts',
      'libs/runs/src/run-for-each-account.ts',
      'libs/service-kit/src/within.ts',
      'services/billing/src/payments/ongoing-calls.ts',
      'services/billing/src/processors/until-aborted.ts',
      'services/gateway/src/limits/account-quota.ts',
    ]);
  });

  test('what minute, hour and day are is said once, but for tests', () => {
    const own = source.filter(
      (file) => !file.endsWith('/contracts/src/durations.ts') && !file.includes('/migrations/'),
    );
    const names = /\b(const|let) \[?(minute|hour|day)(Ms|S|Seconds)\b.* = /;
    const numbers = /\b(86_?400|3_?600)_?000\b|(?<=[=*] )(86_?400|3_?600)\b|\b60 \* (60|1_?000\b)/;
    expect([...linesMatching(own, names), ...linesMatching(own, numbers)]).toEqual([]);
  });

  test('a service that runs for accounts one at a time takes the run lock of libs/runs', () => {
    const locking = source.filter(
      (file) => file.startsWith('services/') && read(file).includes('pg_try_advisory_lock('),
    );
    // Each is one process's work on the whole database, of no account.
    expect(locking).toEqual([
      'services/metrics/src/rollups/rebuild-rollups.ts',
      'services/webhook-dispatcher/src/storage/drop-partitions.ts',
    ]);
    const running = source.filter((file) => /^import [^;]*'@app\/runs\/run-lock'/m.test(read(file)));
    expect(new Set(running.map((file) => file.split('/')[1]))).toEqual(new Set(['billing', 'checkout']));
  });

  test('what sellers are notified of once is remembered by notifyOnce, and not among the ids of commands', () => {
    const remembering = source.filter((file) => /\binsert into sent_notifications\b/.test(read(file)));
    expect(remembering).toEqual(['libs/messaging/src/notify-once.ts']);
    // Of failures that a success forgets, with what it remembers of them.
    expect(source.filter((file) => /\bset (warned|notified|noticed)_at\b/.test(read(file)))).toEqual([
      'services/webhook-dispatcher/src/failing/switch-off.ts',
    ]);
    const own = source.filter((file) => /^services\/(billing|checkout|gateway)\/src\/(?!db\/)/.test(file));
    // A rehearsal keeps its result there, as commands do.
    expect(own.filter((file) => /\binto commands\b/.test(read(file)))).toEqual([
      'services/billing/src/rehearsals/rehearsal-rows.ts',
    ]);
    expect(linesMatching(own, /\b(tellOnce|writeOutboxOnce|told_\w+|\w+_told_at|noticed = true)\b/)).toEqual([]);
  });

  test('products on sale are one request to catalog, which checkout sends from one file', () => {
    const contract = read('libs/contracts/src/products-for-sale.ts');
    expect([...contract.matchAll(/defineRequest\('read', 'catalog', '([^']+)'/g)].map(([, name]) => name)).toEqual([
      'products.find-for-sale',
    ]);
    const senders = source.filter((file) => /request\(\s*findProductsForSale\b/.test(read(file)));
    expect(senders.filter((file) => file.startsWith('services/checkout/'))).toEqual([
      'services/checkout/src/products/products-for-sale.ts',
    ]);
  });

  test('a forced daily run is a waiver of the limit of charges, which nothing but this limit reads', () => {
    const own = source.filter((file) => /^services\/[^/]+\/src\/(?!db\/|api\/)/.test(file));
    const reading = own.filter((file) => /\blimit_waived_until\b/.test(read(file)));
    expect(reading).toEqual(['services/billing/src/daily-runs/limit-waiver.ts']);
    const billing = own.filter((file) => file.startsWith('services/billing/'));
    // They take the request, and write the waiver. A text for sellers quotes "force".
    expect(billing.filter((file) => /\bforced?\b(?!")/i.test(withoutComments(read(file))))).toEqual([
      'services/billing/src/daily-runs/requests.ts',
      'services/billing/src/daily-runs/start-daily-run.ts',
    ]);
    expect(billing.filter((file) => /^import [^;]*'\.[./a-z-]*\/limit-waiver\.ts'/m.test(read(file)))).toEqual([
      'services/billing/src/daily-runs/charge-plan.ts',
      'services/billing/src/daily-runs/charge-within-limit.ts',
      'services/billing/src/daily-runs/start-daily-run.ts',
    ]);
  });

  test('limits of requests in a minute count in one map, which forgets the minutes that have ended', () => {
    const limits = source.filter((file) => file.startsWith('services/gateway/src/'));
    expect(limits.filter((file) => /\bnew Minutes\b/.test(read(file)))).toEqual([
      'services/gateway/src/limits/account-quota.ts',
      'services/gateway/src/limits/address-limiter.ts',
    ]);
    // When a minute ends is declared by what forgets it.
    expect(
      limits.filter((file) => /^\s+(readonly )?(endsAt|windowEnds|resetsAt)\w*: number;/m.test(read(file))),
    ).toEqual(['services/gateway/src/limits/minutes.ts']);
  });
});
