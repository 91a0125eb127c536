import type { ErrorCode } from '@app/contracts/errors';
import { type IdKind, idPrefixes } from '@app/contracts/ids';
import { z } from 'zod';

/** The refusal for each path parameter's schema: a malformed id is an id that nothing has. */
const refusals = new WeakMap<z.ZodType, ErrorCode>();

/** An id in a path; one that cannot be an id is refused as `notFound`, and no service is asked. */
export function pathId(kind: IdKind, notFound: ErrorCode) {
  const prefix = idPrefixes[kind];
  const schema = z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`));
  return refusedAs(schema.describe(`An id that begins \`${prefix}_\`.`), notFound);
}

/** A code that people chose, in a path. */
export function pathCode(notFound: ErrorCode) {
  return refusedAs(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), notFound);
}

export function refusalOf(schema: z.ZodType | undefined): ErrorCode {
  return (schema && refusals.get(schema)) ?? 'not_found';
}

function refusedAs<S extends z.ZodType>(schema: S, code: ErrorCode): S {
  refusals.set(schema, code);
  return schema;
}
