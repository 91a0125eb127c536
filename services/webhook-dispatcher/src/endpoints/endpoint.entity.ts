import { defineTable } from '@app/service-kit/define-table';
import { p } from '@mikro-orm/core';

/** A URL that gets an account's events, or an automation. PUT sets the account's endpoint of role `primary`. */
export const EndpointSchema = defineTable('Endpoint', 'endpoints', {
  id: p.string().primary(),
  accountId: p.string(),
  role: p.enum(['primary', 'additional', 'automation']),
  /** Null until a URL is connected: what happens until then is held for it. */
  url: p.string().nullable(),
  description: p.string().default(''),
  /** Names of the events it takes; null for all. */
  events: p.array().nullable(),
  /** Its own headers; see own-headers.ts. Null for none. */
  headers: p.string().nullable(),
  active: p.boolean(),
  switchedOffReason: p.enum(['seller', 'gone', 'failing']).nullable(),
  switchedOffAt: p.datetime().nullable(),
  /** Sealed; see secret-box.ts. Null without a URL. */
  secret: p.string().nullable(),
  /** Signs too until then; both are null unless the secret was rotated. */
  previousSecret: p.string().nullable(),
  previousSecretUntil: p.datetime().nullable(),
  /** Counts the changes, so that of two copies in memory the newer is known. */
  version: p.integer(),
  createdAt: p.datetime(),
  updatedAt: p.datetime(),
});

export class Endpoint extends EndpointSchema.class {}
EndpointSchema.setClass(Endpoint);
