import { describe, expect, test } from 'vitest';
import { find, read, typeScriptFiles } from './support/repository.ts';

/** A word that a reader has to translate, what the field says instead, and the files in which it is the field's word. */
const words: readonly (readonly [word: RegExp, say: string, except?: RegExp])[] = [
  [
    /\b(nobody|somebody|anybody|whoever)\b/i,
    'the subject: the seller, the buyer, the caller, another replica, the row',
  ],
  [/\bthe thing\b/i, 'the noun'],
  [/\b(hears?|heard)\b/i, 'is notified, receives, learns'],
  [/\b(stood|stands?|standing) still\b/i, 'paused'],
  [/\bstanding(?=\b|[A-Z_])/i, 'state, order balance'],
  [/\b(shelf|shelves)(?=\b|[A-Z_])/i, 'product on sale'],
  [/\bdesk\b/i, 'the name of the page or the list'],
  [/\bovertaken\b/i, 'superseded'],
  [/\b(leftOut|passedOver)\b/, 'skipped'],
  [/\btakers?\b/i, 'destination'],
  [/\b(event_tries|checkout_tries|subject_id|asked_at|told_at)\b/, 'a column named by what it holds'],
  [/\basks?\(|\.ask\b|\b(const|let) asked\b|[a-z]Ask(s|ed|ing)?\b|\basked(Of|At|Ms)\b/, 'request'],
  [/\b(each|every|another|first|next|last|latest|failed|own|[a-z]+th|\d+) (try\b(?! again)|tries\b)/i, 'attempt'],
  [/\btryNo\b|\b\w+Tries\b|\b(const|let) tries\b/, 'attempt'],
  [/\b(const|let) (told|tell)\b|\btold(?=[A-Z])|\btell(?=[A-Z])|[a-z]Told\b/, 'notified, reported, shown'],
  [/\b(is|are|was|were) told (once|of|as|in|with)\b/, 'is notified, is reported, is shown'],
  [
    /\b(a|each|next|last|failed) look\b(?! (at|into|inside|beside|by)\b|-)|\blook(EveryMs|AgainAfterMs)\b/,
    'check, scan',
  ],
  [/hand(ed|ing)?-?over/i, 'submit (an email), publish, enqueue'],
  [/\b(waitForTurn|takeTurn|behindAllIds|placeOf|leftBehind)\b/, 'slot, group, position'],
  [/(?<!\bin[- ])\bflights?\b|(?<![iI]n)Flight/, 'run, run lock'],
  [/(?<!\bline )\bfeeds?\b|\bfed\b/i, 'enqueue, send'],
  [/\b(isOwed|owedTo\w*)\b/, 'pending'],
  [/\bsubjectOf\b|\b(?!filter_)[a-z]+_subject\b|\bnew subject\b/, 'the name of what it is'],
  [
    /\b[sS]ettl(e[sd]?|ing)(?=\b|[A-Z_])/,
    'record, end, pay: settled are holds alone',
    /billing|checkout|^libs\/(contracts|pages)|^deploy\/daily|^docs|^e2e|^[A-Z]\w+\.md|operations\/daily-runs/,
  ],
];

/** Where another program names something so. Migrations stay as they were applied, and are not read. */
const allowed: Readonly<Record<string, string>> = {
  'libs/embedded/README.md': 'the user `nobody` of Unix',
  'libs/embedded/src/postgres-account.ts': 'the user `nobody` of Unix',
  'libs/embedded/test/postgres.test.ts': 'the user `nobody` of Unix',
  'test/architecture.test.ts': 'names that an earlier version had',
  'test/words.test.ts': 'the list itself',
};

const isMigration = (file: string): boolean => file.includes('/migrations/');
const files = [...typeScriptFiles(), ...find('**/*.md'), ...find('{libs,services,deploy,e2e}/**/*.{js,sql}')].filter(
  (file) => !isMigration(file),
);

/** `file:line: word → what to say` of each word of the list that a text has. */
function hitsIn(file: string, text: string): string[] {
  const found = words.filter(([word, , except]) => word.test(text) && !except?.test(file));
  if (found.length === 0) return [];
  return text.split('\n').flatMap((line, index) =>
    found.flatMap(([word, say]) => {
      const [hit] = word.exec(line) ?? [];
      return hit === undefined ? [] : [`${file}:${index + 1}: “${hit}” → ${say}`];
    }),
  );
}

describe('plain words', () => {
  test('a hit names its file and line, the word, and what to say', () => {
    expect(hitsIn('a.ts', 'const one = 1;\n// Nobody waits for it.')).toEqual([
      'a.ts:2: “Nobody” → the subject: the seller, the buyer, the caller, another replica, the row',
    ]);
  });

  test('source, tests and documents have the words of the field', () => {
    const hits = files.filter((file) => !(file in allowed)).flatMap((file) => hitsIn(file, read(file)));
    expect(hits).toEqual([]);
  });

  test('no file is allowed a word that it has no more', () => {
    expect(Object.keys(allowed).filter((file) => hitsIn(file, read(file)).length === 0)).toEqual([]);
  });
});
