import { z } from 'zod';
import { timestamp } from './common.ts';
import { idSchema } from './ids.ts';

/** What entries of the audit log are about; each audited operation has one. */
export const auditKinds = [
  'log_in',
  'api_key',
  'settings',
  'processor',
  'webhook',
  'automation',
  'refund',
  'withdrawal',
  'payout',
  'export',
  'daily_job',
  'portal_link',
] as const;
export const auditKind = z.enum(auditKinds);
export type AuditKind = z.infer<typeof auditKind>;

/** `link`: the holder of a link from an email. `anonymous`: someone who is not logged in. `operator`: who runs the deployment. */
export const auditActorKinds = ['session', 'key', 'link', 'anonymous', 'operator'] as const;
export const auditOutcomes = ['done', 'refused', 'unknown'] as const;

export const auditEntryResource = z
  .object({
    id: idSchema('auditEntry'),
    kind: auditKind,
    operation: z
      .string()
      .describe('The id of the operation, as in this document; `recover` and `create` of the operator’s command.'),
    object_id: z
      .string()
      .nullable()
      .describe('What it was done to or what it made: an id, or the code of an affiliate; null where there is none.'),
    outcome: z
      .enum(auditOutcomes)
      .describe('`unknown`: it was begun, and the platform was stopped before its outcome was written down.'),
    code: z.string().nullable().describe('Why it was refused: the `code` of the answer.'),
    count: z.int().describe('Refusals of one kind in an hour are one entry, and so is what goes beyond 2,000 a day.'),
    actor: z.object({
      kind: z.enum(auditActorKinds),
      id: z.string().nullable().describe('Of the session or the API key.'),
      name: z.string().nullable().describe('The user’s address or the key’s name at that time.'),
    }),
    address: z.string().nullable().describe('The IP address, of IPv6 the /64 network; of several the latest.'),
    user_agent: z.string().nullable().describe('The program, as it named itself.'),
    created_at: timestamp,
    last_at: timestamp.describe('Of several, when the latest was.'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof auditEntryResource>;
