import { createSemaphore } from '@app/service-kit/semaphore';
import type { EmailMessage, EmailTransport, Submission } from './email-transport.ts';

/** In this process: mail servers refuse clients that open more connections than that. */
const atOnce = 8;
/** After a failure to reach the server the next messages are not attempted for so long: each would wait for it. */
const awayMs = 30_000;

/**
 * Submits a few messages at a time; the others wait in line. While the server is away one message at a time is attempted,
 * and the others are `isSkipped`, with the outcome of the last attempt.
 */
export interface Mailer {
  send(message: EmailMessage): Promise<Submission>;
}

export function createMailer(transport: EmailTransport): Mailer {
  const semaphore = createSemaphore(atOnce);
  let away: { readonly submission: Submission; readonly untilMs: number } | undefined;
  let isProbing = false;
  const attempt = async (message: EmailMessage): Promise<Submission> => {
    const submission = await transport.send(message);
    away = submission.outcome === 'unreachable' ? { submission, untilMs: performance.now() + awayMs } : undefined;
    return submission;
  };
  return {
    send: (message) =>
      semaphore.run(async () => {
        if (away === undefined) return await attempt(message);
        if (isProbing || performance.now() < away.untilMs) return { ...away.submission, isSkipped: true };
        isProbing = true;
        return await attempt(message).finally(() => {
          isProbing = false;
        });
      }),
  };
}
