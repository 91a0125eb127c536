import { Migration } from '@app/service-kit/migrations';

/**
 * audit_log  who did what in an account, from where. `count` is more than one of calls that are counted together: `id` is then
 *            made of what they have in common and their hour. `outcome` is `unknown` from before a call until after it.
 */
const auditLog = `
  create table audit_log (
    id text primary key,
    account_id text not null references accounts (id),
    kind text not null,
    operation text not null,
    object_id text,
    outcome text not null check (outcome in ('done', 'refused', 'unknown')),
    code text,
    count integer not null,
    actor_kind text not null,
    actor_id text,
    actor_name text,
    address text,
    user_agent text,
    created_at timestamptz not null,
    last_at timestamptz not null
  );
  create index audit_log_account on audit_log (account_id, id);
  create index audit_log_kind on audit_log (account_id, kind, id);
  create index audit_log_created_at on audit_log (created_at)`;

export class AuditLog extends Migration {
  override up(): void {
    this.addSql(auditLog);
  }
}
