import { DomainError, type FieldError } from '@app/contracts/errors';
import { parseInput } from '@app/contracts/validation';
import { z } from 'zod';
import { type Operation, takesIdempotencyKey } from '../api/operation.ts';
import { previewOf } from './previews/all-previews.ts';
import type { Tool } from './tool.ts';

type Shape = z.core.$ZodLooseShape;

/** What an operation is called with. */
export interface ToolRequest {
  readonly operation: Operation;
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: Record<string, unknown> | undefined;
  readonly idempotencyKey: string | undefined;
  /** Whether the caller wants a long result uncut. */
  readonly full: boolean;
  /** Undefined where the caller does not say. */
  readonly confirm: boolean | undefined;
  /** The amount that the caller was shown, in minor units. */
  readonly expectedCents: number | undefined;
  /** What is wrong with the tool's own arguments and with names, for `checkInput`. */
  readonly faults: readonly FieldError[];
}

/** Made once for each tool: a schema is compiled at its first use. */
const outlines = new WeakMap<Tool, z.ZodObject>();

/** The names of all arguments, and the schemas of those that the operation does not judge. */
function outlineOf(tool: Tool): z.ZodObject {
  const known = outlines.get(tool);
  if (known !== undefined) return known;
  const { params, query } = tool.operation;
  const outline = z.strictObject({
    ...each(params?.shape, z.string()),
    ...each({ ...query?.shape, ...bodyShape(tool.operation) }, z.unknown().optional()),
    ...ownArguments(tool),
  });
  outlines.set(tool, outline);
  return outline;
}

/** Arguments that are the tool's own, beside those of its operation. */
function ownArguments({ operation, kinds }: Tool): Shape {
  const kind = z.enum(Object.keys(kinds ?? {}));
  const preview = previewOf(operation);
  return {
    ...(kinds === undefined ? {} : { kind }),
    ...(operation.method === 'GET' ? { full: z.boolean().optional() } : {}),
    ...(takesIdempotencyKey(operation, 'mcp') ? { idempotencyKey: z.string().optional() } : {}),
    ...(preview === undefined ? {} : { confirm: z.boolean().optional() }),
    ...(preview?.hasAmount ? { expectedCents: z.int().min(0).optional() } : {}),
  };
}

/** The names and schemas of all arguments: path, query and body fields side by side. */
export function argumentShape(tool: Tool): Shape {
  const { params, query } = tool.operation;
  const operations = { ...params?.shape, ...query?.shape, ...bodyShape(tool.operation) };
  const shape = { ...operations, ...tool.extra, ...ownArguments(tool) };
  // One tool for both kinds of offers: the operation's own words name only the bump's ids.
  if (tool.kinds === undefined || shape.offerId === undefined) return shape;
  return { ...shape, offerId: z.string().describe('`bmp_` or `ups_`, as the kind.') };
}

function bodyShape({ body }: Pick<Operation, 'body'>): Shape {
  if (body === undefined) return {};
  if (body instanceof z.ZodOptional) return bodyShape({ body: body.unwrap() as z.ZodType });
  if (!(body instanceof z.ZodObject)) throw new Error('a tool’s operation takes an object or nothing');
  return body.shape;
}

/**
 * The request that these arguments make. Finds out only about names and the tool's own arguments: the operation validates the
 * rest, as over HTTP.
 */
export function toolRequest(tool: Tool, given: Record<string, unknown>): ToolRequest {
  const { params, query } = tool.operation;
  const body = bodyShape(tool.operation);
  const faults = faultsIn(outlineOf(tool), given);
  const { kind, idempotencyKey, confirm, expectedCents, full } = given as {
    kind?: string;
    idempotencyKey?: string;
    confirm?: boolean;
    expectedCents?: number;
    full?: boolean;
  };
  const values = { ...tool.defaults, ...given };
  return {
    operation: (kind === undefined ? undefined : tool.kinds?.[kind]) ?? tool.operation,
    params: pick(values, params?.shape ?? {}),
    query: pick(values, query?.shape ?? {}),
    body: tool.operation.body === undefined ? undefined : pick(values, body),
    idempotencyKey,
    full: full === true,
    confirm,
    expectedCents,
    faults,
  };
}

function faultsIn(outline: z.ZodType, given: Record<string, unknown>): readonly FieldError[] {
  try {
    parseInput(outline, given);
    return [];
  } catch (err) {
    if (err instanceof DomainError) return err.errors;
    throw err;
  }
}

function each(shape: Shape | undefined, schema: z.ZodType): Shape {
  return Object.fromEntries(Object.keys(shape ?? {}).map((name) => [name, schema]));
}

/** The arguments that the shape names. */
function pick(values: Record<string, unknown>, shape: Shape): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(shape, name)));
}
