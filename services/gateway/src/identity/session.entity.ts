import { defineEntity, p } from '@mikro-orm/core';

export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.text().primary(),
    hash: p.blob(),
    userId: p.text(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
    /** Of the client that opened it, as `clientOfAddress` gives it. */
    address: p.text().nullable(),
    userAgent: p.text().nullable(),
  },
});
