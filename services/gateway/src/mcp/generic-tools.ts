import { invalidField, parseInput } from '@app/contracts/validation';
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
  operation: z.string().describe('Its name, from find.'),
  arguments: z.record(z.string(), z.unknown()).optional().describe('As find shows them.'),
};

export const genericTools: readonly GenericTool[] = [
  {
    name: 'find',
    title: 'Find an operation',
    description:
      'Finds operations for what no other tool here does, with their arguments: discounts, emails, affiliates, automations, exports of events, unfinished checkouts, portal links, payments, settings.',
    input: z.object({ query: z.string().describe('A few words, such as “post-purchase email”.') }),
    annotations: annotations.reads,
  },
  {
    name: 'read',
    title: 'Read anything',
    description: 'Calls an operation that changes nothing. Ask find for its name and arguments first.',
    input: z.object({ ...named, full: z.boolean().optional() }),
    annotations: annotations.reads,
  },
  {
    name: 'write',
    title: 'Change anything',
    description:
      'Calls an operation that changes, sends or deletes something. Ask find for its name and arguments first.',
    input: z.object({
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

const isRead = ({ method, changesNothing }: Operation): boolean => method === 'GET' || changesNothing === true;

/** An operation as a tool of its own: it is called as every other tool. */
function toolOf(operation: Operation): Tool {
  return {
    name: isRead(operation) ? 'read' : 'write',
    description: '',
    operation,
    ...(operation.query?.shape.limit !== undefined && { defaults: shortPage }),
    annotations: isRead(operation) ? annotations.reads : annotations.changesAnything,
  };
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
  const {
    operation: id,
    arguments: args = {},
    ...own
  } = parseInput(input.strict(), given) as {
    operation: string;
    arguments?: Record<string, unknown>;
  };
  const operation = reachable.find((one) => one.id === id);
  if (operation === undefined)
    throw invalidField('operation', 'must be the name of an operation: ask find', 'unknown_value');
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

const foundMax = 5;

/**
 * Operations that this caller may call, the best matches first, with their arguments; where nothing matches, the names of all.
 * @throws DomainError validation_failed
 */
export function findOperations(actor: Actor, given: Record<string, unknown>): Record<string, unknown> {
  const { query } = parseInput(z.strictObject({ query: z.string() }), given);
  const words = stemsOf(query);
  const callable = reachable.filter((operation) => isCallable(operation, actor));
  const scored = callable
    .map((operation) => ({ operation, score: scoreOf(operation, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, foundMax);
  if (scored.length === 0) return { found: [], all: callable.map(({ id, summary }) => `${id}: ${summary}`) };
  return { found: scored.map(({ operation }) => shown(operation)) };
}

function isCallable(operation: Operation, actor: Actor): boolean {
  try {
    checkAccess(operation, actor, {});
    return true;
  } catch {
    return false;
  }
}

const shown = (operation: Operation) => ({
  operation: operation.id,
  call: isRead(operation) ? 'read' : 'write',
  summary: operation.summary,
  ...(operation.description && { description: operation.description }),
  arguments: inputSchema(toolOf(operation)),
});

/** Words in one form: `Emails` and `email` are one. */
const stemsOf = (text: string): string[] =>
  (
    text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]{3,}/g) ?? []
  ).map((word) => word.replace(/(?:ies|s)$/, ''));

/** A word in its name counts more than one in its description. */
function scoreOf({ id, summary, description = '', path, tag }: Operation, words: readonly string[]): number {
  const name = new Set(stemsOf(id));
  const head = new Set(stemsOf(`${summary} ${tag} ${path}`));
  const text = new Set(stemsOf(description));
  return words.reduce(
    (sum, word) => sum + (name.has(word) ? 5 : 0) + (head.has(word) ? 3 : 0) + (text.has(word) ? 1 : 0),
    0,
  );
}
