import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isTest, linesMatching, read, root, typeScriptFiles } from './support/repository.ts';

const linesMax = 40;
/**
 * Statements that are longer, each with the reason why it stays one: a decision belongs into a `*.rules.ts`, and what is
 * read and written may be several statements of one transaction.
 */
const longer: Readonly<Record<string, { readonly lines: number; readonly why: string }>> = {
  'billing payments-record': {
    lines: 71,
    why: 'of every answer to a payment, in one round trip; decideAnswer decides it',
  },
  'billing renewals-claim': { lines: 41, why: 'of the daily run, which claims every renewal with it' },
  'billing renewals-claim-again': { lines: 44, why: 'by claimSql, as the one above: one text guards both claims' },
  'catalog products-for-sale': { lines: 41, why: 'of every checkout and order, in one round trip' },
  'checkout checkouts-begin-attempts': { lines: 53, why: 'of every payment of a checkout, in one round trip' },
  'checkout checkouts-record-orders': { lines: 44, why: 'of every checkout that is paid, in one round trip' },
  'metrics facts-record': { lines: 70, why: 'of every order: facts and roll-ups, in one round trip' },
  'metrics rollups-rebuild-add': { lines: 56, why: 'by addFactsToRollups, as the one above: both count alike' },
};

interface Defined {
  readonly name: string;
  readonly text: string;
}

test('no statement is longer than 40 lines, with the parts it is made of, but those named here', async () => {
  const list = [join(root, 'e2e/support/list-statements.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, list, { maxBuffer: 16 * 1024 * 1024 });
  const found: Record<string, number> = {};
  for (const [service, statements] of Object.entries(JSON.parse(stdout) as Record<string, Defined[]>))
    for (const { name, text } of statements) {
      const lines = text.trim().split('\n').length;
      if (lines > linesMax) found[`${service} ${name}`] = lines;
    }
  const named = Object.entries(longer).map(([name, { lines }]) => [name, lines]);
  expect(found).toEqual(Object.fromEntries(named));
});

// A column that a payment is written with is added there alone; which of them a statement fills, the compiler checks.
test('payments are inserted by the text of services/billing/src/payments/insert-payments.ts alone', () => {
  const source = typeScriptFiles().filter((file) => !isTest(file) && file.startsWith('services/billing/src/'));
  const inserting = linesMatching(source, /insert\s+into\s+payments\b/i).map((line) => line.split(':')[0]);
  expect(inserting).toEqual(['services/billing/src/payments/insert-payments.ts']);
});

// Each of these words changes how a statement is planned and nothing else: where it is said, planner.ts says why.
test('statements argue with the planner in the words of libs/service-kit/src/planner.ts alone', () => {
  const others = typeScriptFiles().filter(
    (file) => !isTest(file) && !file.includes('/migrations/') && file !== 'libs/service-kit/src/planner.ts',
  );
  const words = /\boffset 0\b|\b(same|locked|wanted)_(id|key)\b|\benable_\w+|plan_cache_mode/;
  const shapes = /coalesce\([^()]* = [^()]*, true\)|\blimit 1\)( as)? \w+ on true/;
  for (const each of [words, shapes]) expect(linesMatching(others, each)).toEqual([]);
});

// A text that is not a statement is not prepared by e2e/statements.test.ts, so nothing says that it fits the schema.
test('what runs in a session of the ORM is a statement', () => {
  const source = typeScriptFiles().filter((file) => !isTest(file) && /^(services|libs)\//.test(file));
  expect(linesMatching(source, /\bexecuteBound\((?!em: )\w+, (?!\w+Statement\(|inIndexOrder\()/)).toEqual([]);
});

/** Texts that run and are no statements, with how many there are and the reason. */
const texts: Readonly<Record<string, { readonly calls: number; readonly why: string }>> = {
  'libs/embedded/src/databases.ts': { calls: 6, why: 'of the server, before a database has a schema' },
  'libs/service-kit/src/migrations.ts': { calls: 5, why: 'make the schema, and read how much of it is made' },
  'services/webhook-dispatcher/src/repair/held-recovery.ts': {
    calls: 1,
    why: 'in the words of the ORM; with those of PostgreSQL it is a statement too',
  },
  'services/webhook-dispatcher/src/storage/drop-partitions.ts': {
    calls: 3,
    why: 'with names of partitions, which a migrated schema does not have',
  },
};

/** Calls that give PostgreSQL a text: as it stands, in an object, or by a name. What begins and ends transactions is none. */
function textCalls(source: string): string[] {
  // The text of `insertOutboxSql` is the statement `outbox-insert`.
  const byName = /(?!insertOutboxSql\b)[\w.]+\s*,|(?<=>\(\s*)[\w.]+\s*\)/.source;
  const given = new RegExp(String.raw`\.query(?:<[^()]*>)?\(\s*(?=['"${'`'}{]|${byName}).*|\.execute[(<].*`, 'g');
  const control = /\(['"`](begin|commit|rollback|select 1|set transaction [a-z ]+)['"`]/;
  return [...source.matchAll(given)].map(([call]) => call).filter((call) => !control.test(call));
}

test('what runs in a connection is a statement, but what is named here', () => {
  const files = typeScriptFiles().filter(
    (file) => !isTest(file) && /^(services|libs)\/(?!testing\/)[^/]+\/src\/(?!.*\/migrations\/)/.test(file),
  );
  const found = files.flatMap((file) => textCalls(read(file)).map((call) => ({ file, call })));
  expect(found.filter(({ file }) => !(file in texts))).toEqual([]);
  for (const [name, { calls }] of Object.entries(texts))
    expect([name, found.filter(({ file }) => file === name).length]).toEqual([name, calls]);
});

test('a text that runs is found however it is given, and a statement is not taken for one', () => {
  const given = [
    `pool.query('select from a')`,
    'pool.query<{\n  n: number;\n}>(\n  `select n from a`)',
    `pool.query({ text: 'select from a' })`,
    'client.query(aSql, [1])',
    'client.query<Row>(aSql)',
    `tx.execute('select from a where b = ?', [1])`,
  ];
  for (const call of given) expect(textCalls(call), call).toHaveLength(1);
  const others = [
    `client.query('begin')`,
    'pool.query(aStatement([1]))',
    'pool.query<Row>(of([1]))',
    'pool.query(query)',
  ];
  for (const call of others) expect(textCalls(call), call).toEqual([]);
});

// A list that is written by hand is the one that a new column is left out of. Migrations stay as they were run.
test('the columns that a statement reads of JSON are of a record of types, by recordOf', () => {
  const source = typeScriptFiles().filter((file) => !isTest(file) && !file.includes('/migrations/'));
  const byHand = source.flatMap((file) =>
    [...read(file).matchAll(/\bjsonb?_to_record(?:set)?\([^)]*\)(?=(.{0,200}))/gs)]
      .filter(([, list = '']) => !/^ as \w* ?\(\$\{recordOf\([^()]+\)\}\)/.test(list))
      .map(([call, list]) => `${file}: ${call}${list?.split('\n')[0]}`),
  );
  expect(byHand).toEqual([]);
});

// The compiler compares the columns of a statement with its rows; rows that its caller names are compared with nothing.
test('rows of the webhook-dispatcher are named where their statement is', () => {
  const source = typeScriptFiles().filter(
    (file) => !isTest(file) && file.startsWith('services/webhook-dispatcher/src/'),
  );
  expect(source.filter((file) => read(file).includes('.query<'))).toEqual([]);
});
