import { p } from '@mikro-orm/core';

/** Key and owner of what belongs to an account. */
export const ofAccount = () => ({ id: p.text().primary(), accountId: p.text() });
