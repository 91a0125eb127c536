import { operations } from '../api/operations.ts';
import type { Operation } from '../operations/operation.ts';

/** One tool of the MCP server. Its arguments are the parameters and the body fields of the operation, side by side. */
export interface Tool {
  readonly name: string;
  /** For a model: what it does, when to use it, what it needs. */
  readonly description: string;
  /** The operation that it calls. With `kinds`, the one whose schemas and scope speak for all of them. */
  readonly operation: Operation;
  /** The operation to call for each value of the argument `kind`. */
  readonly kinds?: Readonly<Record<string, Operation>>;
  /** For arguments that are left out. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** What a call without `confirm: true` is told instead. */
  readonly confirmation?: string;
  /**
   * A read that is asked then, with the ids in its path as they were given, and what of its result the caller is told too:
   * what the call would do now.
   */
  readonly preview?: { readonly operation: Operation; readonly fields: readonly string[] };
  readonly annotations: ToolAnnotations;
}

/** Hints for clients, all four said: the protocol's defaults fit few tools. */
interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export const annotations = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  /** What it replaces or removes is gone. */
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  /** Something leaves the platform: a webhook, an email, a charge. */
  sends: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  /** Again it does nothing, and tells nobody. */
  tells: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  ends: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  charges: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
} as const satisfies Record<string, ToolAnnotations>;

const byId = new Map(operations.map((operation) => [operation.id, operation]));

export function operation(id: string): Operation {
  const found = byId.get(id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
}
