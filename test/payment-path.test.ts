import { expect, test } from 'vitest';
import { linesMatching, read } from './support/repository.ts';

const payments = 'services/billing/src/payments';

/** What docs/figures.md says of this version. */
const [, stays, returns, ofForms] = (
  /^\| stays of `sendPayment`.*\| (\d+); (\d+); (\d+) \|$/m.exec(read('docs/figures.md')) ?? []
).map(Number);
const counted = { stays, returns, forms: ofForms };

/** A payment: its row, what is sent of it, the answer, what follows from that, and all that is written. */
const forms = ['Payment', 'Sent', 'Answered', 'Decision', 'Answer'];
/** Beside them in the same files: parts of a form, what a step needs, and who takes it. */
const beside = [
  'AnswerContext',
  'DecidedEvent',
  'PaymentUpdate',
  'Change',
  'Declined',
  'RecordContext',
  'AnswerEvent',
  'AnswerWriter',
  'AnswerWriters',
  'Effect',
];

// Each new folder is one more that a reader of a payment's way goes to and comes back from.
test('from its sending until it is written, the answer to a payment stays in the folders named here', () => {
  const folders: Readonly<Record<string, readonly string[]>> = {
    'send-payment.ts': ['.', '../processors'],
    'record-payment.ts': ['.', '@app/messaging'],
    'decide-answer.rules.ts': ['.', '../processors', '@app/contracts'],
    'write-answer.ts': ['.', '../points', '@app/messaging', '@app/service-kit'],
    '../processors/send-request.ts': ['.'],
  };
  const imported = Object.keys(folders).map((file) => {
    const froms = read(`${payments}/${file}`).matchAll(/ from '([^']+)\/[^/']+'/g);
    return [file, [...new Set([...froms].map(([, folder]) => folder))].toSorted()];
  });
  expect(Object.fromEntries(imported)).toEqual(folders);
});

// It calls, decides and writes: what a later step needs is passed on, so that no step comes back for it.
test('each step of a payment from its sending calls one function of another folder at most', () => {
  const called = ['send-payment.ts', 'record-payment.ts', 'decide-answer.rules.ts'].map((file) => {
    const text = read(`${payments}/${file}`);
    const imports = [...text.matchAll(/^import \{([^}]*)\} from '(?!\.\/)[^']+';$/gm)];
    const names = imports.flatMap(([, list = '']) => list.split(',').map((name) => name.trim()));
    return [file, names.filter((name) => new RegExp(`\\b${name}\\(`).test(text))];
  });
  expect(Object.fromEntries(called)).toEqual({
    'send-payment.ts': ['sendRequest'],
    'record-payment.ts': ['outboxRow'],
    'decide-answer.rules.ts': ['buyerReason'],
  });
  // A word of the contracts is no place to go to. To the others the way goes and comes back, and it ends in the batcher.
  const away = called.flatMap(([, names = []]) => names).filter((name) => name !== 'buyerReason').length;
  expect(counted).toEqual({ stays: 2 * away + 2, returns: away, forms: forms.length });
  // The statement's parameters are ready before the answer waits with others: the batcher calls nothing of billing.
  expect(linesMatching([`${payments}/write-answer.ts`], /\bcreateBatcher\b|\brun\b/)).toEqual([]);
  expect(linesMatching([`${payments}/send-payment.ts`], /\bprocessors?(\.\w+\(|\[)/)).toEqual([]);
});

test('from its sending until it is written, a payment has the five forms named here', () => {
  const files = ['send-payment.ts', 'record-payment.ts', 'decide-answer.rules.ts', 'write-answer.ts'];
  const declared = [...files, '../processors/send-request.ts'].flatMap((file) =>
    [...read(`${payments}/${file}`).matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm)].map(([, name]) => name),
  );
  expect(['Payment', ...declared].toSorted()).toEqual([...forms, ...beside].toSorted());
});
