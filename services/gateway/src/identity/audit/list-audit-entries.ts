import type { AuditKind, auditActorKinds, auditEntryResource, auditOutcomes } from '@app/contracts/audit';
import type { PageQuery } from '@app/contracts/common';
import type { Database } from '@app/service-kit/database';
import { type Page, pagedList } from '@app/service-kit/paging';
import type { z } from 'zod';

interface Row {
  readonly id: string;
  readonly kind: AuditKind;
  readonly operation: string;
  readonly object_id: string | null;
  readonly outcome: (typeof auditOutcomes)[number];
  readonly code: string | null;
  readonly count: number;
  readonly actor_kind: (typeof auditActorKinds)[number];
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly created_at: Date;
  readonly last_at: Date;
}

const row = {
  id: 'text',
  kind: 'text',
  operation: 'text',
  object_id: 'text',
  outcome: 'text',
  code: 'text',
  count: 'int4',
  actor_kind: 'text',
  actor_id: 'text',
  actor_name: 'text',
  address: 'text',
  user_agent: 'text',
  created_at: 'timestamptz',
  last_at: 'timestamptz',
} as const;

const all = pagedList<Row>({ name: 'audit', table: 'audit_log', row, scope: ['account_id'] });
const ofKind = pagedList<Row>({ name: 'audit-kind', table: 'audit_log', row, scope: ['account_id', 'kind'] });

/** Newest first; of calls that are counted together, by the beginning of their hour. */
export async function listAuditEntries(
  database: Database,
  accountId: string,
  { kind, ...page }: PageQuery & { readonly kind?: AuditKind | undefined },
): Promise<Page<z.output<typeof auditEntryResource>>> {
  const listed =
    kind === undefined ? await all(database, [accountId], page) : await ofKind(database, [accountId, kind], page);
  return { ...listed, data: listed.data.map(resourceOf) };
}

function resourceOf({ actor_kind, actor_id, actor_name, created_at, last_at, ...rest }: Row) {
  return {
    ...rest,
    actor: { kind: actor_kind, id: actor_id, name: actor_name },
    created_at: created_at.toISOString(),
    last_at: last_at.toISOString(),
  };
}
