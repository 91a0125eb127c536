import type { z } from 'zod';
import type { Operation } from '../api/operation.ts';
import { operations } from '../api/operations/all-operations.ts';
import type { PreviewedCall } from './previews/preview.ts';

/** One tool of the MCP server. Its arguments are the parameters and the body fields of the operation, side by side. */
export interface Tool {
  readonly name: string;
  /** For people; of every tool that is listed. */
  readonly title?: string;
  /** For a model: what it does, when to use it, what it needs. */
  readonly description: string;
  /** The operation that it calls. With `kinds`, the one whose schemas and scope speak for all of them. */
  readonly operation: Operation;
  /** The operation to call for each value of the argument `kind`. */
  readonly kinds?: Readonly<Record<string, Operation>>;
  /** For some arguments, what a model reads in place of their choices and of the description that people read. */
  readonly words?: Readonly<Record<string, string>>;
  /** Arguments that it takes and does not offer: few callers need them, and every client reads all that is offered. */
  readonly unsaid?: readonly string[];
  /** Arguments beside those of the operation, which `resolve` makes the operation's of. */
  readonly extra?: z.core.$ZodLooseShape;
  /**
   * Makes the operation's arguments of what a model knows, or finds that another operation is meant.
   * @throws DomainError
   */
  readonly resolve?: (
    given: Record<string, unknown>,
    read: PreviewedCall['read'],
  ) => Promise<{ readonly given: Record<string, unknown>; readonly tool?: Tool }>;
  /** For arguments that are left out. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly annotations: ToolAnnotations;
}

/** Hints for clients. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** Something leaves the platform: a webhook, an email, a charge. */
  readonly openWorldHint: boolean;
}

const hints = (readOnly: boolean, destructive: boolean, idempotent: boolean, openWorld: boolean): ToolAnnotations => ({
  readOnlyHint: readOnly,
  destructiveHint: destructive,
  idempotentHint: idempotent,
  openWorldHint: openWorld,
});

export const annotations = {
  reads: hints(true, false, true, false),
  adds: hints(false, false, false, false),
  /** What it replaces or removes is gone. */
  changes: hints(false, true, true, false),
  /** As `changes`, but a second call replaces once more. */
  replaces: hints(false, true, false, false),
  sends: hints(false, false, false, true),
  /** A second call does nothing. */
  repeats: hints(false, false, true, false),
  ends: hints(false, true, true, false),
  changesAnything: hints(false, true, false, true),
  charges: hints(false, true, true, true),
  /** A second call gives a part back once more. */
  givesBack: hints(false, true, false, true),
} as const;

/** Few enough that rows keep their texts in 20 KB: a well-filled order is 0.9 KB, and a result holds it twice. */
export const shortPage = { limit: 10 };

const byId = new Map(operations.map((operation) => [operation.id, operation]));

export function operation(id: string): Operation {
  const found = byId.get(id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
}
