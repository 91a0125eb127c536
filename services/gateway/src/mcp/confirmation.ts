import { createHmac, hash, randomUUID } from 'node:crypto';
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
/** About 250 bytes each. Of more the oldest are forgotten: their callers are shown the preview once more. */
const shownMax = 10_000;

/** What a caller was shown of a call. */
interface Shown {
  readonly cents: number | null;
  /** A digest of who, what and where to. */
  readonly content: string;
}

/** What a client was asked, sealed: it comes back with the answer. */
export interface Asked extends Shown {
  readonly call: string;
  /** Of this question: its answer has one effect. */
  readonly id: string;
}

/** What this process remembers of previews, and the seal of questions. */
export interface Confirmations {
  readonly codec: RequestStateCodec<Asked>;
  /** A preview of this call was given to its caller. */
  remember(call: string, shown: Shown): void;
  /** How many previews were given until now: what the calls of a request that comes now can have been shown. */
  given(): number;
  /** What was shown of this call before its caller made it; undefined when nothing was of late. @param known `given` when it came */
  shown(call: string, known: number): Shown | undefined;
  /** The preview is used up: it was agreed to. */
  forget(call: string): void;
  /** The call is made; false while the same one is under way. */
  begin(call: string): boolean;
  end(call: string): void;
}

/** @param secret of the deployment: every replica has to know what another one has sealed */
export function createConfirmations(clock: Clock, secret: string): Confirmations {
  const previews = new Map<string, { readonly shown: Shown; readonly until: number; readonly number: number }>();
  const underWay = new Set<string>();
  let given = 0;
  return {
    codec: createRequestStateCodec<Asked>({
      key: createHmac('sha256', secret).update('what MCP clients were asked').digest(),
      ttlSeconds: validMs / 1_000,
    }),
    remember: (call, shown) => {
      previews.delete(call);
      given += 1;
      previews.set(call, { shown, until: clock.nowMs() + validMs, number: given });
      const [oldest] = previews.keys();
      if (previews.size > shownMax && oldest !== undefined) previews.delete(oldest);
    },
    given: () => given,
    shown: (call, known) => {
      const preview = previews.get(call);
      const isKnown = preview !== undefined && preview.number <= known && preview.until >= clock.nowMs();
      return isKnown ? preview.shown : undefined;
    },
    forget: (call) => void previews.delete(call),
    begin: (call) => {
      if (underWay.has(call)) return false;
      underWay.add(call);
      return true;
    },
    end: (call) => void underWay.delete(call),
  };
}

/** What a call says of its confirmation. */
export interface Consent {
  /** How many previews had been given when it came: it agrees to no later one, which nobody has seen. */
  readonly previewsKnown: number;
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
  /** Whoever makes the call says when it has ended. */
  | { readonly kind: 'go' }
  | { readonly kind: 'show'; readonly preview: Preview; readonly hasChanged: boolean }
  | { readonly kind: 'refused' }
  | { readonly kind: 'ask'; readonly result: InputRequiredResult };

/**
 * Whether the seller has agreed to what would happen now. A client that declares that it asks its user is sent the question; any other
 * says `confirm: true` after it got the preview, once for each preview, or at once with the amount.
 * @throws DomainError amount_changed
 */
export async function decide(
  confirmations: Confirmations,
  call: string,
  preview: Preview,
  { previewsKnown, confirm, expectedCents, question }: Consent,
): Promise<Decision> {
  const now = shownOf(preview);
  if (confirm === false) return show(confirmations, call, preview, now, false);
  if (expectedCents !== undefined && expectedCents !== now.cents) throw changed(expectedCents, preview);
  if (question !== null) return await decideByAnswer(confirmations, { call, ...now }, preview, question);
  if (confirm !== true) return show(confirmations, call, preview, now, false);
  const shown = confirmations.shown(call, previewsKnown);
  if (shown !== undefined && shown.cents !== now.cents && expectedCents === undefined)
    throw changed(shown.cents, preview);
  const hasChanged = shown !== undefined && shown.content !== now.content;
  const isAgreed = shown === undefined ? expectedCents !== undefined : !hasChanged;
  if (!isAgreed || !confirmations.begin(call)) return show(confirmations, call, preview, now, hasChanged);
  confirmations.forget(call);
  return { kind: 'go' };
}

function show({ remember }: Confirmations, call: string, preview: Preview, now: Shown, hasChanged: boolean): Decision {
  remember(call, now);
  return { kind: 'show', preview, hasChanged };
}

function shownOf({ amountCents, currency = null, facts, agreed = facts }: Preview): Shown {
  const content = hash('sha256', JSON.stringify([currency, agreed]), 'base64url');
  return { cents: amountCents ?? null, content };
}

/** The question that a request answers with consent to this call; undefined where it brings none. */
export function answeredQuestion(call: string, { question }: Pick<Consent, 'question'>): Asked | undefined {
  if (question === null) return undefined;
  const asked = question.requestState<Asked>();
  const answer = inputResponse(question.inputResponses, 'confirm');
  const isYes = answer.kind === 'elicit' && answer.action === 'accept' && answer.content?.confirm === true;
  return isYes && asked?.call === call ? asked : undefined;
}

/** An answer counts for the very call, amount and content that its question was about; without one the question is asked. */
async function decideByAnswer(
  { codec, begin }: Confirmations,
  now: Omit<Asked, 'id'>,
  preview: Preview,
  question: NonNullable<Consent['question']>,
): Promise<Decision> {
  const agreed = answeredQuestion(now.call, { question });
  if (agreed !== undefined && agreed.cents === now.cents && agreed.content === now.content && begin(now.call))
    return { kind: 'go' };
  const answer = inputResponse(question.inputResponses, 'confirm');
  const isOfThisCall = question.requestState<Asked>()?.call === now.call;
  if (isOfThisCall && answer.kind === 'elicit' && agreed === undefined) return { kind: 'refused' };
  return { kind: 'ask', result: await asking(codec, { ...now, id: randomUUID() }, preview) };
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
