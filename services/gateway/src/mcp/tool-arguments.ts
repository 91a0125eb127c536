import { DomainError } from '@app/contracts/errors';
import { parseInput } from '@app/contracts/validation';
import { z } from 'zod';
import { type Operation, takesIdempotencyKey } from '../api/operation.ts';
import type { Tool } from './tool.ts';

type Shape = z.core.$ZodLooseShape;

/** What an operation is called with. */
export interface ToolRequest {
  readonly operation: Operation;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  /** Whether the caller wants a long result uncut. */
  readonly full: boolean;
}

/** Arguments that are the tool's own, beside those of its operation. */
function ownArguments({ operation, kinds, confirmation }: Tool): Shape {
  const kind = z.enum(Object.keys(kinds ?? {}));
  const confirm = z.literal(true).describe('Without it you only see what would happen.');
  return {
    ...(kinds === undefined ? {} : { kind }),
    ...(operation.method === 'GET' ? { full: z.boolean().optional() } : {}),
    ...(takesIdempotencyKey(operation, 'mcp') ? { idempotencyKey: z.string().optional() } : {}),
    ...(confirmation === undefined ? {} : { confirm: confirm.optional() }),
  };
}

/** The names and schemas of all arguments: path, query and body fields side by side. */
export function argumentShape(tool: Tool): Shape {
  const { params, query } = tool.operation;
  const shape = { ...ownArguments(tool), ...params?.shape, ...query?.shape, ...bodyShape(tool.operation) };
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

/** The call would change what cannot be changed back: it was not made. */
export class ConfirmationNeeded extends DomainError {
  constructor(detail: string) {
    super('validation_failed', detail, [{ field: 'confirm', code: 'required', message: 'must be true' }]);
  }
}

/**
 * The request that these arguments make. Checks only names and the tool's own arguments: the operation validates the
 * rest, as over HTTP.
 * @throws DomainError validation_failed, ConfirmationNeeded for want of `confirm: true`
 */
export function toolRequest(tool: Tool, given: Record<string, unknown>): ToolRequest {
  const { params, query } = tool.operation;
  const body = bodyShape(tool.operation);
  const outline = z.strictObject({
    ...each(params?.shape, z.string()),
    ...each({ ...query?.shape, ...body }, z.unknown().optional()),
    ...ownArguments(tool),
  });
  const { kind, idempotencyKey, confirm, full } = parseInput(outline, given) as {
    kind?: string;
    idempotencyKey?: string;
    confirm?: true;
    full?: boolean;
  };
  if (tool.confirmation !== undefined && confirm === undefined) {
    throw new ConfirmationNeeded(tool.confirmation);
  }
  const values = { ...tool.defaults, ...given };
  return {
    operation: (kind === undefined ? undefined : tool.kinds?.[kind]) ?? tool.operation,
    params: pick(values, params?.shape ?? {}),
    query: pick(values, query?.shape ?? {}),
    body: tool.operation.body === undefined ? undefined : pick(values, body),
    idempotencyKey,
    full: full === true,
  };
}

function each(shape: Shape | undefined, schema: z.ZodType): Shape {
  return Object.fromEntries(Object.keys(shape ?? {}).map((name) => [name, schema]));
}

/** The arguments that the shape names. */
export function pick(values: Record<string, unknown>, shape: Shape): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(shape, name)));
}
