import type { z } from 'zod';
import { limits } from './common.ts';
import { DomainError, type FieldError } from './errors.ts';
import { fieldMessage, namesIn, requiredMessage, unknownFieldMessage } from './field-messages.ts';

/** 50 errors of about 100 bytes: a response of 5 KB, whatever the body. */
const errorsMax = 50;
/** How much of a made-up field name a response repeats. */
const nameLengthMax = 100;
/** How many fields the summary names. */
const namesMax = 5;

/** The part of a request that is checked. */
export type InputPart = 'body' | 'query';
const nouns = { body: 'field', query: 'query parameter' } as const;

/**
 * Parses input by a schema.
 * @throws DomainError validation_failed, one error a field and at most 50
 */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown, part: InputPart = 'body'): z.output<S> {
  if (part === 'query') refuseRepeated(input);
  const result = schema.safeParse(withoutLongTails(input), { error: fieldMessage });
  if (result.success) return result.data;
  const { errors, count } = fieldErrors(result.error, part);
  throw validationError(errors, count, part);
}

/** A parameter that is given twice comes as an array, and no query has one. */
function refuseRepeated(input: unknown): void {
  const repeated = Object.entries(input ?? {}).filter(([, value]) => Array.isArray(value));
  if (repeated.length === 0) return;
  const errors = repeated.slice(0, errorsMax).map(([name]) => ({
    field: name.slice(0, nameLengthMax),
    code: 'wrong_type',
    message: 'must be given once',
  }));
  throw validationError(errors, repeated.length, 'query');
}

/** The error for one invalid field. */
export function invalidField(field: string, message: string, code = 'invalid'): DomainError {
  return validationError([{ field, code, message }], 1, 'body');
}

/** One error for faults that several checks found. */
export function invalidFields(errors: readonly FieldError[]): DomainError {
  return validationError(errors.slice(0, errorsMax), errors.length, 'body');
}

/**
 * @param version of a resource that is locked, so that of two updates of one version the second finds the next
 * @param ifVersion that the update was made from; undefined where the caller does not say
 * @throws DomainError version_changed
 */
export function requireVersion(version: number, ifVersion: number | undefined): void {
  if (ifVersion === undefined || ifVersion === version) return;
  const detail = `The header If-Match names version ${ifVersion}, and the current version is ${version}: read it, and repeat the change.`;
  throw new DomainError('version_changed', detail);
}

/** @param count of all errors; `errors` holds the first of them */
function validationError(errors: readonly FieldError[], count: number, part: InputPart): DomainError {
  const [first] = errors;
  const detail = count === 1 && first !== undefined ? sentence(first, part) : summary(errors, count, part);
  return new DomainError('validation_failed', detail, errors);
}

function sentence(error: FieldError, part: InputPart): string {
  const text = `${nameOf(error, part)} ${error.message}`;
  return text.endsWith('?') ? text : `${text}.`;
}

function summary(errors: readonly FieldError[], count: number, part: InputPart): string {
  const names = errors.slice(0, namesMax).map((error) => nameOf(error, part));
  const last = count > names.length ? `${count - names.length} more` : names.pop();
  return `${count} ${nouns[part]}s are invalid: ${names.join(', ')} and ${last}.`;
}

const nameOf = ({ field }: FieldError, part: InputPart): string => (field === '' ? `The ${part}` : field);

/** Zod's issues as field errors: the first one of each field, and issues of an array before those of its items. */
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

/** No schema is deeper. */
const depthMax = 8;

/**
 * Cuts each array that is too long after one item too many: the schema refuses it all the same, without reading each
 * of 100,000 items. Returns the input itself when no array is too long, as in nearly every request.
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
