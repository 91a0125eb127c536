import { defineEntity, p } from '@mikro-orm/core';

/** A URL that gets an account's events. PUT sets the account's endpoint of role `primary`. */
export const EndpointSchema = defineEntity({
  name: 'Endpoint',
  tableName: 'endpoints',
  properties: {
    id: p.string().primary(),
    accountId: p.string(),
    role: p.enum(['primary']),
    url: p.string(),
    /** Names of the events it takes; null for all. */
    events: p.array().nullable(),
    active: p.boolean(),
    /** Sealed; see secret-box.ts. */
    secret: p.string(),
    /** Counts the changes, so that of two copies in memory the newer is known. */
    version: p.integer(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class Endpoint extends EndpointSchema.class {}
EndpointSchema.setClass(Endpoint);
