/** What told an answer, beside the columns that it updates of its payment. */
export const seenTypes = { seen_by: 'text', seen_at: 'timestamptz' } as const;

/** What an update of payments `p` by answers `c` returns for `insertAnswered`. */
export const answeredColumns = `p.id, p.account_id, p.order_id, p.call, p.status, p.amount_cents, p.currency, p.processor,
  p.processor_reference, p.test, p.finished_at, c.seen_by, c.seen_at,
  case when p.call in ('capture', 'refund', 'release') then p.request ->> 'reference' end as about`;

/**
 * The part of a statement that keeps what answers and look-ups told, with the answers themselves: every success but that of a card which is
 * saved.
 * @param answered the part that updates payments and returns `answeredColumns`
 */
export const insertAnswered = (answered: string): string =>
  `insert into processor_facts (account_id, processor, test, reference, kind, amount_cents, currency, payment_id, order_id, about,
     seen_by, seen_at)
   select account_id, processor, test, processor_reference,
     case call when 'authorize' then 'hold' when 'chargeSaved' then 'charge' else call end, amount_cents, currency, id, order_id,
     about, seen_by, seen_at
   from ${answered} where status = 'succeeded' and call <> 'saveMethod'
   on conflict do nothing`;
