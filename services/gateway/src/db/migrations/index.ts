import { waitingLettersMigration } from '@app/messaging/migrations';
import { installationMigration } from '@app/service-kit/installation';
import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { StatementSuffix } from './0003-statement-suffix.ts';
import { ConfirmedSessions } from './0004-confirmed-sessions.ts';
import { EmailKeys } from './0005-email-keys.ts';
import { KeyPeppers } from './0006-key-peppers.ts';
import { AuditLog } from './0007-audit-log.ts';
import { AnonymousRecords } from './0008-anonymous-records.ts';
import { Factors } from './0009-factors.ts';
import { SupportEmails } from './0010-support-emails.ts';
import { LogosInEmails } from './0012-logos-in-emails.ts';
import { Withdrawals } from './0013-withdrawals.ts';

export const migrations: Migrations = [
  { name: '0001-initial-0.2.0', class: Initial },
  waitingLettersMigration,
  { name: '0003-statement-suffix', class: StatementSuffix },
  { name: '0004-confirmed-sessions', class: ConfirmedSessions },
  { name: '0005-email-keys', class: EmailKeys },
  { name: '0006-key-peppers', class: KeyPeppers },
  { name: '0007-audit-log', class: AuditLog },
  { name: '0008-anonymous-records', class: AnonymousRecords },
  { name: '0009-factors', class: Factors },
  { name: '0010-support-emails', class: SupportEmails },
  installationMigration,
  { name: '0012-logos-in-emails', class: LogosInEmails },
  { name: '0013-withdrawals', class: Withdrawals },
];
