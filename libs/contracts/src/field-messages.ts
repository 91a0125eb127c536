import { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

export const requiredMessage = 'is required';

/** How many allowed values a message lists. */
const valuesMax = 20;

/** What is wrong with a field: the end of a sentence that begins with the field's name. */
export function fieldMessage(issue: RawIssue): string {
  if (issue.input === undefined) return requiredMessage;
  switch (issue.code) {
    case 'invalid_type':
      return typeMessage(issue);
    case 'too_small':
      return isEmptyText(issue) ? requiredMessage : sizeMessage(issue, issue.minimum, 'least', 'more than');
    case 'too_big':
      return sizeMessage(issue, issue.maximum, 'most', 'less than');
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return formats[issue.format] ?? 'has the wrong format';
    case 'invalid_value':
      return oneOf(issue.values.map(String));
    case 'invalid_union':
      return unionMessage(issue);
    case 'invalid_key':
      return `has a name that ${issue.issues[0]?.message ?? 'is not valid'}`;
    case 'unrecognized_keys':
      return knownNames(issue);
    default:
      return 'is not valid';
  }
}

const types: Readonly<Record<string, string>> = {
  string: 'must be a string',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
  record: 'must be an object',
  null: 'must be null',
};

function typeMessage(issue: Extract<RawIssue, { code: 'invalid_type' }>): string {
  const expected = issue.expected === 'number' && isWhole(issue.inst) ? 'int' : issue.expected;
  return types[expected] ?? `must be of the type ${expected}`;
}

/** Whether the number must be whole. For a value of another type zod names only `number`; the checks say the rest. */
function isWhole(schema: unknown): boolean {
  if (!(schema instanceof z.ZodNumber)) return false;
  const ofItself = schema instanceof z.ZodNumberFormat ? [schema._zod.def] : [];
  const checks = [...ofItself, ...(schema._zod.def.checks ?? []).map((check) => check._zod.def)];
  return checks.some((check) => check.check === 'number_format' && 'format' in check && /int/.test(`${check.format}`));
}

function isEmptyText(issue: Extract<RawIssue, { code: 'too_small' }>): boolean {
  return issue.origin === 'string' && issue.minimum === 1;
}

function sizeMessage(
  issue: Extract<RawIssue, { code: 'too_small' | 'too_big' }>,
  bound: number | bigint,
  atBound: 'least' | 'most',
  beyond: string,
): string {
  const size = issue.inclusive === false ? `${beyond} ${bound}` : `at ${atBound} ${bound}`;
  if (issue.origin === 'string') return `must be ${size} ${bound === 1 ? 'character' : 'characters'} long`;
  if (issue.origin === 'array' || issue.origin === 'set') return `must have ${size} ${bound === 1 ? 'item' : 'items'}`;
  return `must be ${size}`;
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'must be an ISO 8601 time with an offset, such as 2026-01-31T12:00:00Z',
  date: 'must be a date, such as 2026-01-31',
  email: 'must be an email address',
  url: 'must be a URL',
  uuid: 'must be a UUID',
};

function oneOf(values: readonly string[]): string {
  const [only] = values;
  if (values.length === 1) return `must be ${only}`;
  const more = values.length > valuesMax ? ` and ${values.length - valuesMax} more` : '';
  return `must be one of ${values.slice(0, valuesMax).join(', ')}${more}`;
}

/** Lists the values of a union of single values; for other unions it takes the branch with the fewest issues. */
function unionMessage(issue: Extract<RawIssue, { code: 'invalid_union' }>): string {
  if (issue.discriminator !== undefined && 'options' in issue && Array.isArray(issue.options)) {
    const given = (issue.input as Readonly<Record<string, unknown>>)[issue.discriminator];
    return given === undefined ? requiredMessage : oneOf(issue.options.map(String));
  }
  const values = listedValues(issue.errors);
  if (values !== undefined) return oneOf(values);
  const [nearest] = issue.errors.toSorted((one, other) => one.length - other.length);
  const first = nearest?.[0];
  if (first === undefined) return 'is not valid';
  return first.path.length === 0 ? first.message : `is not valid: ${first.path.join('.')} ${first.message}`;
}

function listedValues(errors: readonly (readonly z.core.$ZodIssue[])[]): string[] | undefined {
  const values: string[] = [];
  for (const [issue] of errors) {
    const some = issue === undefined || issue.path.length > 0 ? undefined : valuesOfIssue(issue);
    if (some === undefined) return undefined;
    values.push(...some);
  }
  return values.length === 0 ? undefined : values;
}

function valuesOfIssue(issue: z.core.$ZodIssue): string[] | undefined {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  if (issue.code === 'invalid_type' && issue.expected === 'boolean') return ['true', 'false'];
  return issue.code === 'invalid_union' ? listedValues(issue.errors) : undefined;
}

/** Names of fields have no comma, so `namesIn` can split the text again. */
function knownNames(issue: RawIssue): string {
  return issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape).join(',') : '';
}

/** The names of an object's known fields, from the message of an issue about unknown ones. */
export function namesIn(message: string): string[] {
  return message === '' ? [] : message.split(',');
}

/**
 * The message for an unknown field. Resources have snake_case fields such as `customer_email` where bodies have camelCase
 * ones such as `email`: for a name copied from a resource the message has the name to use.
 */
export function unknownFieldMessage(name: string, known: readonly string[], noun: string): string {
  const sent = plain(name);
  const meant =
    known.find((field) => plain(field) === sent) ??
    known.find((field) => field.length >= shortestEnding && sent.endsWith(plain(field)));
  if (meant !== undefined) return `is not a known ${noun}; did you mean ${meant}?`;
  return known.length === 0
    ? `is not a known ${noun}; there are none here`
    : `is not a known ${noun}; known: ${known.join(', ')}`;
}

const shortestEnding = 4;

const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
