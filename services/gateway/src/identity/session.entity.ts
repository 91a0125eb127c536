import { defineTable } from '@app/service-kit/define-table';
import { p } from '@mikro-orm/core';

export const Session = defineTable('Session', 'sessions', {
  id: p.text().primary(),
  hash: p.blob(),
  userId: p.text(),
  createdAt: p.datetime(),
  expiresAt: p.datetime(),
  lastUsedAt: p.datetime().nullable(),
  /** Of the client that opened it, as `clientOfAddress` gives it. */
  address: p.text().nullable(),
  userAgent: p.text().nullable(),
});
