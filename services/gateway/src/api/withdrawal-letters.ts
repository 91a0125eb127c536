import type { EventData } from '@app/contracts/define';
import { withdrawalDeclined, withdrawalRequested } from '@app/contracts/withdrawals';
import { type EventHandler, onEvent, type ReceivedEvent } from '@app/messaging/event-handler';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { portalUrlOf } from '../edge/public-urls.ts';
import type { WithdrawalLetterKind } from '../identity/letters/letter-paths.ts';
import type { Letters } from '../identity/letters/letters.ts';
import type { NewLetter } from '../identity/letters/new-letter.ts';
import type { WithdrawalDetail } from '../identity/letters/withdrawal-words.rules.ts';

interface WithdrawalLetterDeps {
  readonly letters: Letters;
  /** This deployment's address. */
  readonly baseUrl: string;
}

/** An account with its user. */
interface Owner {
  readonly id: string;
  readonly handle: string;
  readonly business_name: string;
  readonly email_verified: boolean;
  readonly user_id: string;
  readonly email: string;
}

const ownerStatement = statement<Owner>(
  'withdrawal-letters-owner',
  `select a.id, a.handle, a.business_name, a.email_verified, u.id as user_id, u.email
   from accounts as a join users as u on u.account_id = a.id where a.id = $1 order by u.id limit 1`,
  { id: 'text', handle: 'text', business_name: 'text', email_verified: 'bool', user_id: 'text', email: 'text' },
);

const insertStatement = statement(
  'withdrawal-letter-insert',
  `insert into letters (id, kind, user_id, account_id, recipient, token_hash, sealed, created_at, next_attempt_at, expires_at, detail)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10)`,
);

type Requested = ReceivedEvent<EventData<typeof withdrawalRequested>>;
type Declined = ReceivedEvent<EventData<typeof withdrawalDeclined>>;

/** The letters of withdrawals are written in the transaction that consumes their event, and are submitted after it. */
export const withdrawalLetterHandlers = (deps: WithdrawalLetterDeps): EventHandler[] => [
  onEvent(withdrawalRequested, async (events, client, onCommit) => {
    for (const event of events) await writeRequested(deps, client, event);
    onCommit(deps.letters.wake);
  }),
  onEvent(withdrawalDeclined, async (events, client, onCommit) => {
    for (const event of events) await writeDeclined(deps, client, event);
    onCommit(deps.letters.wake);
  }),
];

type Queryable = Pick<Client, 'query'> | Pick<Database['pool'], 'query'>;

async function ownerOf(client: Queryable, accountId: string): Promise<Owner | undefined> {
  return (await client.query(ownerStatement([accountId]))).rows[0];
}

async function writeRequested(
  deps: WithdrawalLetterDeps,
  client: Client,
  { accountId, data }: Requested,
): Promise<void> {
  const owner = await ownerOf(client, accountId);
  if (owner === undefined) return;
  const { statement: words, email, orderId, late, requestedAt, test } = data;
  const detail = { seller: owner.business_name, words, email, orderId, late, at: requestedAt, answer: null };
  await write(deps, client, owner, { kind: 'withdrawal_received_notice', to: test ? owner.email : email, detail });
  await write(deps, client, owner, { kind: 'withdrawal_seller_notice', to: owner.email, detail });
}

/** The answer is the seller's own words: an account that is not verified writes none to others. */
async function writeDeclined(deps: WithdrawalLetterDeps, client: Client, { accountId, data }: Declined): Promise<void> {
  const owner = await ownerOf(client, accountId);
  if (owner === undefined || !owner.email_verified) return;
  const { statement: words, email, orderId, requestedAt, answer, test } = data;
  const detail = { seller: owner.business_name, words, email, orderId, late: null, at: requestedAt, answer };
  await write(deps, client, owner, { kind: 'withdrawal_declined_notice', to: test ? owner.email : email, detail });
}

interface Wanted {
  readonly kind: WithdrawalLetterKind;
  readonly to: string;
  readonly detail: WithdrawalDetail;
}

/** Beyond its bound a letter is left out: the page showed the same, and the list has it. */
async function write(
  { letters, baseUrl }: WithdrawalLetterDeps,
  client: Client,
  owner: Owner,
  { kind, to, detail }: Wanted,
): Promise<void> {
  const isToUser = kind === 'withdrawal_seller_notice';
  const under = isToUser ? baseUrl : portalUrlOf(baseUrl, owner.handle);
  const letter = await letters.notice(kind, { email: to, baseUrl: under, isUnverified: !owner.email_verified });
  if (letter === null) return;
  await client.query(
    insertStatement(valuesOf(letter, isToUser ? owner.user_id : null, isToUser ? null : owner.id, detail)),
  );
}

const valuesOf = (
  { id, kind, email, tokenHash, sealed, createdAt, expiresAt }: NewLetter,
  userId: string | null,
  accountId: string | null,
  detail: WithdrawalDetail,
): unknown[] => [
  ...[id, kind, userId, accountId, email, tokenHash, sealed, createdAt, expiresAt],
  JSON.stringify(detail),
];
