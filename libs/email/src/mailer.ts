import { createSemaphore } from '@app/service-kit/semaphore';
import type { EmailMessage, EmailTransport, Handover } from './email-transport.ts';

/** In this process: mail servers refuse clients that open more connections than that. */
const atOnce = 8;
/** After a failure to reach the server the next messages are not attempted for so long: each would wait for it. */
const awayMs = 30_000;

/**
 * Hands messages over a few at a time; the others take turns. While the server is away one message at a time is attempted,
 * and the others are `isSkipped`, with the outcome of the last attempt.
 */
export interface Mailer {
  send(message: EmailMessage): Promise<Handover>;
}

export function createMailer(transport: EmailTransport): Mailer {
  const semaphore = createSemaphore(atOnce);
  let away: { readonly handover: Handover; readonly untilMs: number } | undefined;
  let isProbing = false;
  const attempt = async (message: EmailMessage): Promise<Handover> => {
    const handover = await transport.send(message);
    away = handover.outcome === 'unreachable' ? { handover, untilMs: performance.now() + awayMs } : undefined;
    return handover;
  };
  return {
    send: (message) =>
      semaphore.run(async () => {
        if (away === undefined) return await attempt(message);
        if (isProbing || performance.now() < away.untilMs) return { ...away.handover, isSkipped: true };
        isProbing = true;
        return await attempt(message).finally(() => {
          isProbing = false;
        });
      }),
  };
}
