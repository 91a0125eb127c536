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
  [/\b(un)?ask(s|ed|ing)?(?=\b|[A-Z_])|\bAsk(s|ed|ing)?\b|[a-z]Ask(s|ed|ing)?\b|_ask/, 'request, query, read'],
  [/\b(each|every|another|first|next|last|latest|failed|own|[a-z]+th|\d+) (try\b(?! again)|tries\b)/i, 'attempt'],
  [/\btryNo\b|\b\w+Tries\b|\b(const|let) tries\b/, 'attempt'],
  [/\b(tells?|told|telling)(?=\b|[A-Z_])|\bTells?\b|\bTold\b|[a-z]Told\b/, 'notify, report, say, distinguish'],
  [
    /\blook(s|ed|ing)?\b(?!-up|( \S+){0,6} up\b| like\b| alike\b)|\blook(EveryMs|AgainAfterMs|sBack|BackMs)\b/i,
    'check, read, scan, search',
  ],
  [/\b(is|are|was|were|been|be|not|would|may|can) notic(ed|e)\b/i, 'detect, see'],
  [/hand(ed|ing)?-?over/i, 'submit (an email), publish, enqueue'],
  [/\b(waitForTurn|takeTurn|behindAllIds|placeOf|leftBehind)\b/, 'slot, group, position'],
  [/\b(its|their|whose|own|no|a) turns?\b(?! of the event loop| on| off| round)/, 'slot; it is queued'],
  [
    /\b(an?|the|its|their|one|this|that|own|two|same|which|last|each|every|any|another|all) places?\b|\bplaces\b|[a-z]Places?\b/,
    'position, slot, range; instead',
  ],
  [
    /\bbehind (the (lock|last|first|handle|id)\b|its last|every|an id|`?#)|\b(events|far|periods?|consumer) behind\b|\b(const|let) behind\b|\bisBehind\b/,
    'after, overdue, lag',
  ],
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

/** What pages say to people, who may ask: it is taken out before the words are searched for. */
const toPeople =
  /\bbank (that |may |always |does not )?asks?\b|\basks? the bank\b|\bask (your host|the (buyer|person|processor))\b/gi;

/** Where another program names something so. Migrations stay as they were applied, and are not read. */
const allowed: Readonly<Record<string, string>> = {
  'libs/embedded/README.md': 'the user `nobody` of Unix',
  'libs/embedded/src/postgres-account.ts': 'the user `nobody` of Unix',
  'libs/embedded/test/postgres.test.ts': 'the user `nobody` of Unix',
  'test/one-way.test.ts': 'names that an earlier version had',
  'test/words.test.ts': 'the list itself',
};

const isMigration = (file: string): boolean => file.includes('/migrations/');
const files = [...typeScriptFiles(), ...find('**/*.md'), ...find('{libs,services,deploy,e2e}/**/*.{js,sql}')].filter(
  (file) => !isMigration(file),
);

/** `file:line: word → what to say` of each word of the list that a text has. */
function hitsIn(file: string, whole: string): string[] {
  const text = whole.replaceAll(toPeople, '');
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
