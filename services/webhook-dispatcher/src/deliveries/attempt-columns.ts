/** Columns of `attempts` that every attempt has. */
export const attemptColumns = {
  id: 'text',
  account_id: 'text',
  delivery_id: 'text',
  endpoint_id: 'text',
  event_name: 'text',
  number: 'int',
  created_at: 'timestamptz',
  url: 'text',
  status_code: 'int',
  duration_ms: 'int',
  dns_ms: 'int',
  connect_ms: 'int',
  tls_ms: 'int',
  first_byte_ms: 'int',
  diagnosis: 'text',
} as const;

/** What is known of an attempt beside its row: the lease under which it was made, and the response. */
export const besideAttemptColumns = { lease_token: 'text', response: 'text' } as const;

/** Only the holder of the lease changes a delivery `d`: an attempt `a` that outlived its lease changes nothing of it. */
export const holdsLease = 'd.id = a.delivery_id and d.account_id = a.account_id and d.lease_token = a.lease_token';

/** The part of a statement that stores the responses of the rows of `attempt`. */
export const insertResponses = `insert into attempt_responses (attempt_id, account_id, response)
  select id, account_id, response from attempt where response <> '' order by id
  on conflict do nothing`;
