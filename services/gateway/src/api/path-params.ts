import { slug } from '@app/contracts/common';
import type { ErrorCode } from '@app/contracts/errors';
import { type IdKind, idPrefixes, idSchema } from '@app/contracts/ids';
import { z } from 'zod';

/** The error code of each path parameter's schema. A malformed id is one that does not exist. */
const notFoundCodes = new WeakMap<z.ZodType, ErrorCode>();

/** An id in a path. A malformed one is the error `notFound`, and no service gets a request. */
export function pathId(kind: IdKind, notFound: ErrorCode) {
  return withNotFoundCode(idSchema(kind).describe(`An id that begins \`${idPrefixes[kind]}_\`.`), notFound);
}

/** A code that sellers choose, in a path. */
export function pathCode(notFound: ErrorCode) {
  return withNotFoundCode(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), notFound);
}

/** The error code of a path parameter that does not match its schema. */
export function notFoundCodeOf(schema: z.ZodType | undefined): ErrorCode {
  return (schema && notFoundCodes.get(schema)) ?? 'not_found';
}

/** A handle or a slug in a path. */
export function pathSlug(notFound: ErrorCode) {
  return withNotFoundCode(slug.describe('Lower-case letters, digits and single hyphens.'), notFound);
}

/** A product's slug in a path, or its id, which stays when the slug changes. */
export const pathSlugOrId = withNotFoundCode(
  slug.or(idSchema('product')).describe('The product’s slug, or its id: that stays when the slug changes.'),
  'product_not_found',
);

/** Of a path below one product. */
export const productParams = z.object({ productId: pathId('product', 'product_not_found') });

function withNotFoundCode<S extends z.ZodType>(schema: S, code: ErrorCode): S {
  notFoundCodes.set(schema, code);
  return schema;
}
