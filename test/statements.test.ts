import { expect, test } from 'vitest';
import { isTest, linesMatching, read, typeScriptFiles } from './support/repository.ts';

// A text that is not a statement is not prepared by e2e/statements.test.ts, so nothing says that it fits the schema.
test('what runs in a session of the ORM is a statement', () => {
  const source = typeScriptFiles().filter((file) => !isTest(file) && /^(services|libs)\//.test(file));
  expect(linesMatching(source, /\bexecuteBound\((?!em: )\w+, (?!\w+Statement\(|inIndexOrder\()/)).toEqual([]);
});

/** Texts that run and are no statements, with how many there are and the reason. */
const texts: Readonly<Record<string, { readonly calls: number; readonly why: string }>> = {
  'libs/embedded/src/databases.ts': { calls: 6, why: 'of the server, before a database has a schema' },
  'libs/embedded/src/postgres-backup.ts': { calls: 3, why: 'of the server, which has no schema of ours' },
  'libs/service-kit/src/pipelined.ts': { calls: 1, why: 'sends statements that it is given' },
  'libs/service-kit/src/migrations.ts': { calls: 4, why: 'make the schema, and read how much of it is made' },
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

// PostgreSQL folds other letters than JavaScript, and knows no domain in two forms: addresses are compared by `emailKey`.
test('no statement folds the case of an email address', () => {
  const source = typeScriptFiles().filter(
    (file) => !isTest(file) && /^(services|libs)\/[^/]+\/src\/(?!.*\/migrations\/)/.test(file),
  );
  expect(
    linesMatching(source, /\b(?:lower|upper|casefold)\([^)]*(?:email|recipient|address)|\bi?like\b.*\bemail\b/i),
  ).toEqual([]);
});
