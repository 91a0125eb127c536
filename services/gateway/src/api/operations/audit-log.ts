import { auditEntryResource, auditKind } from '@app/contracts/audit';
import { listOf, pageQueryOf } from '@app/contracts/common';
import { idSchema } from '@app/contracts/ids';
import { listAuditEntries } from '../../identity/audit/list-audit-entries.ts';
import { defineOperation, tagged } from '../operation.ts';

export const auditLogOperations = tagged('Audit log', [
  defineOperation({
    id: 'listAuditEntries',
    method: 'GET',
    path: '/api/v1/audit-log',
    summary: 'List who did what in the account, newest first',
    description:
      'Log-ins, keys, settings, the payment processor, webhooks, automations, refunds, payouts, exports and daily jobs: who, from where, ' +
      'what, when, and how it ended; no bodies. Refused calls of one kind are counted together by the hour, such as log-ins with a ' +
      'wrong password, and so is what goes beyond 2,000 entries in a day. Entries are kept for 13 months. The latest 100; with ' +
      '`limit` or `before` it pages back.',
    auth: 'account',
    scope: 'read',
    query: pageQueryOf(idSchema('auditEntry')).extend({ kind: auditKind.optional() }),
    response: listOf(auditEntryResource),
    errors: [],
    run: ({ app, actor, query }) => listAuditEntries(app.database, actor.accountId, query),
  }),
]);
