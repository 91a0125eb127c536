import { examineStripe } from '@app/contracts/payment-processors';
import { connectNats } from '@app/messaging/connect';
import { type NatsSettings, natsOptions } from '@app/messaging/nats-options';
import { createRequester } from '@app/messaging/requester';
import { aboutEventAddress, aboutStripe, type Finding } from './findings.rules.ts';

/** Nothing that is asked may hang. */
const connectWithinMs = 2_000;
const answerWithinMs = 5_000;

/**
 * Has billing ask Stripe about every account that sells through it, and sends an unsigned event to the address that Stripe sends to, where
 * any does.
 * @param gateway its settings: it may request it of billing
 * @throws Error when NATS or billing does not answer
 */
export async function lookAtStripe(gateway: NatsSettings, publicUrl: string | undefined): Promise<Finding[]> {
  const nats = await connectNats({ ...natsOptions(gateway), service: 'gateway', waitMs: connectWithinMs });
  try {
    const found = await createRequester(nats).request(examineStripe, {}, { accountId: '', requestId: 'doctor' });
    const isUsed = found.states.length > 0 && publicUrl !== undefined;
    return [...aboutStripe(found), ...(isUsed ? [await lookAtEventAddress(publicUrl)] : [])];
  } finally {
    await nats.close();
  }
}

async function lookAtEventAddress(publicUrl: string): Promise<Finding> {
  // No account has this id: what is sent there is refused before billing sees it.
  const url = `${publicUrl}/api/processors/stripe/doctor`;
  try {
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const { code } = (await answer.json().catch(() => ({}))) as { readonly code?: string };
    return aboutEventAddress(url, { status: answer.status, code });
  } catch {
    return aboutEventAddress(url, undefined);
  }
}
