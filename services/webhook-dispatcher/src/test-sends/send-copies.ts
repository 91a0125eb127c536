import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { newId } from '@app/contracts/ids';
import { selfTestCopyMs } from '@app/contracts/webhook-tests';
import type { WebhookEventName } from '@app/contracts/webhooks';
import type { Clock } from '@app/service-kit/clock';
import type { Destination } from '../deliveries/delivery.types.ts';
import { diagnose } from '../deliveries/diagnosis.rules.ts';
import { isDelivered } from '../deliveries/exchange.rules.ts';
import { exchange } from '../deliveries/exchange.ts';
import { failureText } from '../deliveries/failure.rules.ts';
import type { GuardedAgent } from '../deliveries/guarded-agent.ts';
import {
  deliveryHeaders,
  type PreparedDestination,
  prepareDestination,
  signingKeys,
} from '../deliveries/request-headers.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { explainDiagnosis } from '../texts/diagnosis-texts.rules.ts';
import type { CopyAnswer, CopyAnswers } from './copies.rules.ts';
import { freshSample, type SamplePayload } from './fresh-sample.ts';

export interface SendCopiesDeps {
  readonly agent: GuardedAgent;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly attemptTimeoutMs: number;
}

/** Where a self-test goes, and of which event. */
export interface Target {
  readonly destination: Destination;
  readonly url: string;
  readonly event: WebhookEventName;
}

/**
 * Sends the copies of a self-test straight to the receiver, one after the other, with the headers of deliveries. Never
 * rejects for what the receiver does.
 */
export async function sendCopies(
  deps: SendCopiesDeps,
  target: Target,
): Promise<{ answers: CopyAnswers; sameSale: string }> {
  const to = prepareDestination(deps.secrets, target.destination);
  const keys = signingKeys(to, deps.clock.nowMs());
  const strange = [createSecretKey(randomBytes(32))];
  // Only the doubled copy is one: a receiver that drops ids it has seen would not check the others.
  const good = newCopy(deps, target.event);
  const answers = {
    good: await send(deps, to, { ...good, keys }),
    bad_signature: await send(deps, to, { ...newCopy(deps, target.event), keys: strange }),
    stale: await send(deps, to, { ...newCopy(deps, target.event), keys, ageSeconds: staleSeconds }),
    doubled: await send(deps, to, { ...good, keys }),
  };
  return { answers, sameSale: recordOf(good.payload) };
}

const staleSeconds = 10 * 60;

function newCopy({ clock }: SendCopiesDeps, event: WebhookEventName) {
  const nowMs = clock.nowMs();
  return { eventId: newId('event', nowMs), payload: freshSample(event, nowMs) };
}

interface Copy {
  readonly eventId: string;
  readonly payload: SamplePayload;
  readonly keys: readonly KeyObject[];
  /** How long ago it is said to have been signed. */
  readonly ageSeconds?: number;
}

async function send(
  { agent, attemptTimeoutMs }: SendCopiesDeps,
  { origin, path, ownHeaders }: PreparedDestination,
  { eventId, payload, keys, ageSeconds = 0 }: Copy,
): Promise<CopyAnswer> {
  const body = JSON.stringify(payload);
  const message = { eventId, eventName: payload.event, body, test: true };
  const timestamp = Math.floor(Date.now() / 1_000) - ageSeconds;
  const headers = deliveryHeaders(message, keys, { timestamp, traceparent: null, ownHeaders });
  const result = await exchange(agent, { origin, path, headers, body }, Math.min(attemptTimeoutMs, selfTestCopyMs));
  const { statusCode, durationMs } = result;
  const accepted = isDelivered(result);
  const answer = result.excerpt?.toString() ?? '';
  const url = `${origin}${path}`;
  const finding = accepted ? diagnose({ ...result, url, body: answer }) : null;
  const warning = explainDiagnosis(finding?.code ?? null, { url, statusCode, detail: null })?.explanation ?? null;
  const error = result.error === null ? null : failureText(result.error);
  return { accepted, statusCode, error, warning, durationMs };
}

/** What the payload is about, in words. */
function recordOf({ orderId, subscriptionId, payoutId }: SamplePayload): string {
  if (orderId !== undefined) return `order ${orderId}`;
  if (subscriptionId !== undefined) return `the change of ${subscriptionId}`;
  return payoutId === undefined ? 'the email' : `payout ${payoutId}`;
}
