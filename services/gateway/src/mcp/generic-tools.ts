import { invalidField, invalidFields, parseInput } from '@app/contracts/validation';
import { z } from 'zod';
import { checkAccess } from '../api/check-access.ts';
import type { Operation } from '../api/operation.ts';
import { operations } from '../api/operations/all-operations.ts';
import type { Actor } from '../identity/actors.ts';
import { previewOf } from './previews/all-previews.ts';
import { annotations, shortPage, type Tool, type ToolAnnotations } from './tool.ts';
import { inputSchema } from './tool-schemas.ts';

/** A tool over the list of operations, in place of one for each. */
export interface GenericTool {
  readonly name: 'find' | 'read' | 'write';
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly annotations: ToolAnnotations;
}

const named = {
  operation: z.string().max(200).describe('Its name, from find.'),
  arguments: z.record(z.string(), z.unknown()).optional().describe('As find shows them.'),
};

const findInput = z.strictObject({
  query: z.string().max(200).describe('A few words, such as “post-purchase email”.'),
});

export const genericTools: readonly GenericTool[] = [
  {
    name: 'find',
    title: 'Find an operation',
    description:
      'Finds operations for what no other tool here does, with their arguments: discounts, emails, affiliates, automations, exports of events, unfinished checkouts, portal links, payments, settings.',
    input: findInput,
    annotations: annotations.reads,
  },
  {
    name: 'read',
    title: 'Read anything',
    description: 'Calls an operation that changes nothing. Ask find for its name and arguments first.',
    input: z.strictObject({ ...named, full: z.boolean().optional() }),
    annotations: annotations.reads,
  },
  {
    name: 'write',
    title: 'Change anything',
    description:
      'Calls an operation that changes, sends or deletes something. Ask find for its name and arguments first.',
    input: z.strictObject({
      ...named,
      confirm: z.boolean().optional(),
      expectedCents: z.int().min(0).optional(),
      idempotencyKey: z.string().optional(),
    }),
    annotations: annotations.changesAnything,
  },
];

/** They show a key or take one: that is for a person, not for a model's context. */
const secret = new Set(['createApiKey', 'rotateApiKey', 'putPaymentProcessor']);

/** What keys may call in JSON. */
const reachable = operations.filter(
  ({ id, auth, mediaType }) => (auth === 'account' || auth === 'daily') && mediaType === undefined && !secret.has(id),
);

/** A model that is told a name that is like it would do something else: revoke a key in place of rotating it. */
const outOfReach =
  'is out of reach here: it takes or shows a key, answers a file, or is for buyers and people who log in. The seller has it in the dashboard';

const isRead = ({ method, changesNothing }: Operation): boolean => method === 'GET' || changesNothing === true;

const toolsByOperation = new Map<Operation, Tool>();

/** An operation as a tool of its own: it is called as every other tool. */
function toolOf(operation: Operation): Tool {
  const known = toolsByOperation.get(operation);
  if (known !== undefined) return known;
  const made: Tool = {
    name: isRead(operation) ? 'read' : 'write',
    description: '',
    operation,
    ...(operation.query?.shape.limit !== undefined && { defaults: shortPage }),
    annotations: isRead(operation) ? annotations.reads : annotations.changesAnything,
  };
  toolsByOperation.set(operation, made);
  return made;
}

export function mayCallGeneric({ scopes }: Actor, { name }: GenericTool): boolean {
  return name !== 'write' || scopes.has('write') || scopes.has('money');
}

/**
 * The call that `read` or `write` makes.
 * @throws DomainError validation_failed
 */
export function genericCall(
  { name, input }: GenericTool,
  given: Record<string, unknown>,
): { readonly tool: Tool; readonly given: Record<string, unknown> } {
  checkPlaces(input, given);
  const {
    operation: id,
    arguments: args = {},
    ...own
  } = parseInput(input, given) as {
    operation: string;
    arguments?: Record<string, unknown>;
  };
  const operation = reachable.find((one) => one.id === id);
  if (operation === undefined) {
    if (operations.some((one) => one.id === id)) throw invalidField('operation', outOfReach, 'unknown_value');
    const [first, ...others] = matching(reachable, id).slice(0, suggestedMax);
    const names = [first, ...others].flatMap((one) => (one === undefined ? [] : [one.id]));
    const such = names.length === 0 ? '' : `, such as ${names.join(', ')}`;
    throw invalidField('operation', `must be the name of an operation${such}: ask find`, 'unknown_value');
  }
  if (isRead(operation) !== (name === 'read'))
    throw invalidField('operation', isRead(operation) ? 'changes nothing: call read' : 'changes something: call write');
  const preview = previewOf(operation);
  const known = new Set([
    ...['idempotencyKey', ...(operation.method === 'GET' ? ['full'] : [])],
    ...(preview === undefined ? [] : ['confirm']),
    ...(preview?.hasAmount ? ['expectedCents'] : []),
  ]);
  const kept = Object.entries(own).filter(([field]) => known.has(field));
  return { tool: toolOf(operation), given: { ...args, ...Object.fromEntries(kept) } };
}

/** A model that forgets `arguments` is told so: each of its fields alone would look unknown to the operation. */
function checkPlaces({ shape }: z.ZodObject, given: Record<string, unknown>): void {
  const misplaced = Object.keys(given).filter((field) => !Object.hasOwn(shape, field));
  if (misplaced.length === 0) return;
  const message = 'is not a known field; what the operation takes goes into `arguments`';
  throw invalidFields(misplaced.map((field) => ({ field, code: 'unknown_field', message })));
}

const suggestedMax = 3;
const foundMax = 5;
/** Whose names follow: their arguments would be too much to read. */
const alsoMax = 15;

/**
 * Operations that this caller may call, the best matches first, with their arguments, and the names of further ones; where nothing
 * matches, the names of all.
 * @throws DomainError validation_failed
 */
export function findOperations(actor: Actor, given: Record<string, unknown>): Record<string, unknown> {
  const { query } = parseInput(findInput, given);
  const callable = reachable.filter((operation) => isCallable(operation, actor));
  const matches = matching(callable, query);
  if (matches.length === 0) return { found: [], all: describeOperations(actor) };
  const also = matches.slice(foundMax, foundMax + alsoMax).map(inOneLine);
  return { found: matches.slice(0, foundMax).map(shown), ...(also.length > 0 && { also }) };
}

/** The best match first; of equal ones that with the shorter name, which says nothing else. */
function matching(among: readonly Operation[], query: string): readonly Operation[] {
  const words = searched(query);
  return among
    .map((operation) => ({ operation, score: scoreOf(operation, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || one.operation.id.length - other.operation.id.length)
    .map(({ operation }) => operation);
}

const inOneLine = ({ id, summary }: Operation): string => `${id}: ${summary}`;

function isCallable(operation: Operation, actor: Actor): boolean {
  try {
    checkAccess(operation, actor, {});
    return true;
  } catch {
    return false;
  }
}

/** The operations that this caller may call, each as its name and what it does. */
export const describeOperations = (actor: Actor): readonly string[] =>
  reachable.filter((operation) => isCallable(operation, actor)).map(inOneLine);

const shown = (operation: Operation) => ({
  operation: operation.id,
  call: isRead(operation) ? 'read' : 'write',
  summary: operation.summary,
  ...(operation.description && { description: operation.description }),
  arguments: inputSchema(toolOf(operation)),
});

/** What sellers say, and what the API says for it. */
const synonyms: Readonly<Record<string, string>> = {
  ...{ coupon: 'discount', voucher: 'discount', promo: 'discount', price: 'product', purchase: 'order', sale: 'order' },
  ...{ customer: 'order', partner: 'affiliate', abandoned: 'checkout', unfinished: 'checkout', trigger: 'automation' },
  ...{
    remove: 'delete',
    add: 'create',
    make: 'create',
    change: 'update',
    edit: 'update',
    show: 'get',
    cart: 'checkout',
  },
};

/** Words in one form: `Emails` and `email` are one. */
const stemsOf = (text: string): string[] =>
  (
    text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]{3,}/g) ?? []
  ).map((word) => word.replace(/(?:ies|s)$/, ''));

const searched = (text: string): string[] =>
  stemsOf(text).flatMap((word) => (synonyms[word] === undefined ? [word] : [word, synonyms[word]]));

/** A word in its name counts more than one in its description, and a name that is all in the query most. */
function scoreOf({ id, summary, description = '', path, tag }: Operation, words: readonly string[]): number {
  const name = new Set(stemsOf(id));
  const head = new Set(stemsOf(`${summary} ${tag} ${path}`));
  const text = new Set(stemsOf(description));
  const whole = [...name].every((word) => words.includes(word)) ? 5 : 0;
  return words.reduce(
    (sum, word) => sum + (name.has(word) ? 5 : 0) + (head.has(word) ? 3 : 0) + (text.has(word) ? 1 : 0),
    whole,
  );
}
