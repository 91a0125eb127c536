/**
 * disputes  one row for each dispute of a charge, as the processor showed it last; its `reference` is the processor's id.
 *           `closed_at` is when its end was recorded here, and ends all reading of it. `lost_cents` is what its end took, in the
 *           charge's minor units, also where refunds left less of the charge: one that fails later leaves the rest to it.
 */
export const disputes = `
  create table disputes (
    account_id text not null,
    processor text not null,
    test boolean not null,
    reference text not null,
    payment_id text not null references charges (id),
    order_id text not null,
    amount_cents bigint not null,
    currency text not null,
    reason text not null,
    status text not null,
    refundable boolean not null,
    evidence_due_by timestamptz,
    opened_at timestamptz not null,
    closed_at timestamptz,
    lost_cents bigint not null default 0,
    primary key (account_id, processor, test, reference)
  );
  create index disputes_of_order on disputes (account_id, order_id);
  create index disputes_open on disputes (account_id, processor, test, reference) where closed_at is null`;
