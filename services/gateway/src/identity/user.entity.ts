import { defineEntity, p } from '@mikro-orm/core';

/** Someone who logs in to an account. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    /** Lower-cased as a whole: no mail system of today distinguishes Ann@ and ann@. */
    email: p.text(),
    passwordHash: p.text(),
    createdAt: p.datetime(),
  },
});
