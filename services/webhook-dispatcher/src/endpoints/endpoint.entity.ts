import { defineEntity, p } from '@mikro-orm/core';

/** A URL that gets an account's events. An account's endpoint of role `primary` is the one it sets by PUT. */
export const EndpointSchema = defineEntity({
  name: 'Endpoint',
  tableName: 'endpoints',
  properties: {
    id: p.string().primary(),
    accountId: p.string(),
    role: p.enum(['primary']),
    url: p.string(),
    /** Names of the events it wants; null for all. */
    events: p.array().nullable(),
    active: p.boolean(),
    /** Sealed; see secret-box.ts. */
    secret: p.string(),
    /** Counts the changes: of two states of an endpoint in memory the higher is the newer. */
    version: p.integer(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class Endpoint extends EndpointSchema.class {}
EndpointSchema.setClass(Endpoint);
