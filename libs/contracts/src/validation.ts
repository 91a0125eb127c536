import type { z } from 'zod';
import { limits } from './common.ts';
import { DomainError, type FieldError } from './errors.ts';
import { fieldMessage, namesIn, requiredMessage, unknownFieldMessage } from './field-messages.ts';

/** 50 errors of some 100 bytes: an answer of 5 KB to whatever nonsense. */
const errorsMax = 50;
/** Of a field's name that a caller made up. */
const nameLengthMax = 100;
/** Names of fields in the sentence about all of them. */
const namesMax = 5;

/** What is being checked, as a sentence names it. */
export type InputPart = 'body' | 'query';
const nouns = { body: 'field', query: 'query parameter' } as const;

/**
 * What the schema makes of the input.
 * @throws DomainError `validation_failed`, one error a field and at most 50
 */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown, part: InputPart = 'body'): z.output<S> {
  const result = schema.safeParse(withoutLongTails(input), { error: fieldMessage });
  if (result.success) return result.data;
  const { errors, count } = fieldErrors(result.error, part);
  throw refusal(errors, count, part);
}

/** The refusal of one field. */
export function invalidField(field: string, message: string, code = 'invalid'): DomainError {
  return refusal([{ field, code, message }], 1, 'body');
}

/** @param count of all errors, of which these are the first */
function refusal(errors: readonly FieldError[], count: number, part: InputPart): DomainError {
  const [first] = errors;
  const detail = count === 1 && first !== undefined ? sentence(first, part) : summary(errors, count, part);
  return new DomainError('validation_failed', detail, errors);
}

function sentence(error: FieldError, part: InputPart): string {
  const text = `${subjectOf(error, part)} ${error.message}`;
  return text.endsWith('?') ? text : `${text}.`;
}

function summary(errors: readonly FieldError[], count: number, part: InputPart): string {
  const names = errors.slice(0, namesMax).map((error) => subjectOf(error, part));
  const last = count > names.length ? `${count - names.length} more` : names.pop();
  return `${count} ${nouns[part]}s are invalid: ${names.join(', ')} and ${last}.`;
}

const subjectOf = ({ field }: FieldError, part: InputPart): string => (field === '' ? `The ${part}` : field);

/** zod's issues as field errors, the first one of each field; those about a whole array before those about its items. */
function fieldErrors(error: z.ZodError, part: InputPart): { errors: FieldError[]; count: number } {
  const byField = new Map<string, FieldError>();
  let beyond = 0;
  const add = (field: string, make: () => Omit<FieldError, 'field'>) => {
    if (byField.has(field)) return;
    if (byField.size < errorsMax) byField.set(field, { field, ...make() });
    else beyond += 1;
  };
  for (const issue of error.issues.toSorted((one, other) => depthOf(one) - depthOf(other))) {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      const known = namesIn(issue.message);
      for (const key of issue.keys) {
        const name = key.length > nameLengthMax ? `${key.slice(0, nameLengthMax)}…` : key;
        const message = () => unknownFieldMessage(name, known, nouns[part]);
        add([...path, name].join('.'), () => ({ code: 'unknown_field', message: message() }));
      }
    } else {
      const code = issue.message === requiredMessage ? 'required' : (codes[issue.code] ?? 'invalid');
      add(path.join('.'), () => ({ code, message: issue.message }));
    }
  }
  return { errors: [...byField.values()], count: byField.size + beyond };
}

const depthOf = ({ code, path }: z.core.$ZodIssue): number => path.length + (code === 'unrecognized_keys' ? 1 : 0);

const codes: Record<string, string> = {
  invalid_type: 'wrong_type',
  too_small: 'too_small',
  too_big: 'too_big',
  invalid_format: 'invalid_format',
  invalid_value: 'unknown_value',
};

/** Deeper than any schema looks. */
const depthMax = 8;

/**
 * The input with each array cut behind the first item too many: it is refused all the same, and 100,000 items are not
 * looked at one by one before. The input itself when it has no such array, as nearly every one.
 */
function withoutLongTails(input: unknown): unknown {
  return hasLongArray(input, depthMax) ? cut(input, depthMax) : input;
}

function hasLongArray(value: unknown, depthLeft: number): boolean {
  if (typeof value !== 'object' || value === null || depthLeft === 0) return false;
  if (Array.isArray(value) && value.length > limits.arrayItems) return true;
  for (const part of Object.values(value)) if (hasLongArray(part, depthLeft - 1)) return true;
  return false;
}

function cut(value: unknown, depthLeft: number): unknown {
  if (typeof value !== 'object' || value === null || depthLeft === 0) return value;
  if (Array.isArray(value)) return value.slice(0, limits.arrayItems + 1).map((item) => cut(item, depthLeft - 1));
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cut(part, depthLeft - 1)]));
}
