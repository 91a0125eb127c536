import { defineTable } from '@app/service-kit/define-table';
import { p } from '@mikro-orm/core';
import { ofAccount } from './of-account.ts';

/** Someone who logs in to an account. */
export const User = defineTable('User', 'users', {
  ...ofAccount(),
  /** Lower-cased as a whole: no mail system of today distinguishes Ann@ and ann@. */
  email: p.text(),
  /** See the migration that added it. */
  emailKey: p.text().nullable(),
  passwordHash: p.text(),
  createdAt: p.datetime(),
});
