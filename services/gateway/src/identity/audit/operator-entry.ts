import { newIdSuffix } from '@app/contracts/ids';
import { type AuditEntry, entryIdOf } from './audit-entry.ts';

/** What a command of who runs the deployment did with an account. */
export const operatorEntry = (accountId: string, operation: 'recover' | 'create', at: Date): AuditEntry => ({
  ...{ id: entryIdOf(newIdSuffix(at.getTime())), accountId, kind: 'log_in', operation, at },
  ...{ actorKind: 'operator', actorId: null, userId: null, address: '', userAgent: undefined },
  ...{ objectId: null, outcome: 'done', code: null, count: 1 },
});
