import { createHmac, hash } from 'node:crypto';
import { DomainError } from '@app/contracts/errors';
import { formatAmount } from '@app/money/format';
import type { Clock } from '@app/service-kit/clock';
import {
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Actor } from '../identity/actors.ts';
import { excerpt } from '../problems/excerpt.rules.ts';
import type { Preview } from './previews/preview.ts';

/** How long a seller may think about what was shown. */
const validMs = 15 * 60_000;
/** About 150 bytes each. Of more the oldest are forgotten: their callers are shown the preview once more. */
const shownMax = 10_000;

/** What a client was asked, sealed: it comes back with the answer. */
export interface Asked {
  readonly call: string;
  readonly cents: number | null;
}

/** What this process remembers of previews, and the seal of questions. */
export interface Confirmations {
  readonly codec: RequestStateCodec<Asked>;
  /** A preview of this call was given to its caller. */
  remember(call: string, cents: number | null): void;
  /** The amount that was shown of this call, null where it has none; undefined when nothing was shown of late. */
  shown(call: string): number | null | undefined;
  /** The preview is used up: it was agreed to. */
  forget(call: string): void;
}

/** @param secret of the deployment: every replica has to know what another one has sealed */
export function createConfirmations(clock: Clock, secret: string): Confirmations {
  const previews = new Map<string, { readonly cents: number | null; readonly until: number }>();
  return {
    codec: createRequestStateCodec<Asked>({
      key: createHmac('sha256', secret).update('what MCP clients were asked').digest(),
      ttlSeconds: validMs / 1_000,
    }),
    remember: (call, cents) => {
      previews.delete(call);
      previews.set(call, { cents, until: clock.nowMs() + validMs });
      const [oldest] = previews.keys();
      if (previews.size > shownMax && oldest !== undefined) previews.delete(oldest);
    },
    shown: (call) => {
      const preview = previews.get(call);
      return preview === undefined || preview.until < clock.nowMs() ? undefined : preview.cents;
    },
    forget: (call) => void previews.delete(call),
  };
}

/** What a call says of its confirmation. */
export interface Consent {
  readonly confirm: boolean | undefined;
  readonly expectedCents: number | undefined;
  /** Of a client that shows its user a question: what the request brought along. Null for all others. */
  readonly question: ServerContext['mcpReq'] | null;
}

/**
 * One caller's call, as a digest: previews are remembered by it. What a caller says of the confirmation is no part of it.
 * @param input validated
 */
export function callDigest(
  { kind, keyId, userId, accountId }: Actor,
  operationId: string,
  { params, query, body }: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
): string {
  const { expectedCents: _, ...rest } = (body ?? {}) as Record<string, unknown>;
  return hash(
    'sha256',
    JSON.stringify([accountId, kind, keyId ?? userId, operationId, params, query, rest]),
    'base64url',
  );
}

/** Whether the call may be made, or what its caller gets instead. */
export type Decision =
  | { readonly kind: 'go' }
  | { readonly kind: 'show'; readonly preview: Preview }
  | { readonly kind: 'refused' }
  | { readonly kind: 'ask'; readonly result: InputRequiredResult };

const go: Decision = { kind: 'go' };

/**
 * Whether the seller has agreed to what would happen now. A client that declares that it asks its user is sent the question; any other
 * says `confirm: true` after it got the preview, once for each preview, or at once with the amount.
 * @throws DomainError amount_changed
 */
export async function decide(
  confirmations: Confirmations,
  call: string,
  preview: Preview,
  { confirm, expectedCents, question }: Consent,
): Promise<Decision> {
  const { remember, shown, forget } = confirmations;
  const cents = preview.amountCents ?? null;
  if (confirm !== false) {
    if (expectedCents !== undefined && expectedCents !== cents) throw changed(expectedCents, preview);
    if (question !== null) return await decideByAnswer(confirmations.codec, { call, cents }, preview, question);
    const known = confirm === true ? (expectedCents ?? shown(call)) : undefined;
    if (known !== undefined && known !== cents) throw changed(known, preview);
    if (known !== undefined) {
      forget(call);
      return go;
    }
  }
  remember(call, cents);
  return { kind: 'show', preview };
}

/** An answer counts for the very call and amount that its question was about; without one the question is asked. */
async function decideByAnswer(
  codec: Confirmations['codec'],
  now: Asked,
  preview: Preview,
  question: NonNullable<Consent['question']>,
): Promise<Decision> {
  const asked = question.requestState<Asked>();
  const answer = inputResponse(question.inputResponses, 'confirm');
  if (asked?.call === now.call && answer.kind === 'elicit') {
    if (answer.action !== 'accept' || answer.content?.confirm !== true) return { kind: 'refused' };
    if (asked.cents === now.cents) return go;
  }
  return { kind: 'ask', result: await asking(codec, now, preview) };
}

async function asking(codec: Confirmations['codec'], asked: Asked, preview: Preview): Promise<InputRequiredResult> {
  const facts = Object.entries(preview.facts).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return inputRequired({
    inputRequests: {
      confirm: inputRequired.elicit({
        message: excerpt([preview.detail, ...facts].join('\n'), 4_000),
        requestedSchema: {
          type: 'object',
          properties: { confirm: { type: 'boolean', title: 'Do it' } },
          required: ['confirm'],
        },
      }),
    },
    requestState: await codec.mint(asked),
  });
}

function changed(expected: number | null, { amountCents, currency, detail }: Preview): DomainError {
  const inWords = (cents: number) => (currency ? `${formatAmount(cents, currency)} (${cents})` : String(cents));
  const was = expected === null ? 'no amount' : inWords(expected);
  const is = amountCents === undefined ? 'no amount' : inWords(amountCents);
  return new DomainError('amount_changed', `It was ${was}, and is ${is} now; nothing was done. ${detail}`);
}
