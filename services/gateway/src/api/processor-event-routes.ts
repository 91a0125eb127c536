import { DomainError } from '@app/contracts/errors';
import { idSchema, newIdSuffix } from '@app/contracts/ids';
import { receiveProcessorEvent } from '@app/contracts/processor-events';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientOfAddress } from '../edge/client-address.rules.ts';
import { inRequestSpan } from '../edge/request-spans.ts';
import type { Window, WindowLimiter } from '../limits/window-limiter.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import type { App } from './app.ts';

interface ToAccount {
  readonly Params: { readonly accountId: string };
}

const accountIds = idSchema('account');
const signatureMax = 2_000;

/**
 * Where Stripe sends events about an account's payments. Billing verifies the signature of the very bytes. What it does not take is
 * answered alike, whether there is such an account or not. The answer follows the commit: Stripe sends again what had none.
 */
export function routeProcessorEvents(server: FastifyInstance, app: App): void {
  const { requester, eventsOfAccount, refusedEvents, limitEvents } = app;
  const isLimited = app.config.RATE_LIMIT_PER_MINUTE > 0;
  const receive = async (req: FastifyRequest<ToAccount>): Promise<boolean> => {
    const { body } = req;
    const { accountId } = req.params;
    const signature = req.headers['stripe-signature'];
    if (typeof signature !== 'string' || signature.length > signatureMax || !Buffer.isBuffer(body)) return false;
    const input = { processor: 'stripe', body: body.toString('base64'), signature } as const;
    const context = { accountId, requestId: req.id, commandId: newIdSuffix(app.clock.nowMs()) };
    return await limitEvents(
      accountId,
      async () => (await requester.request(receiveProcessorEvent, input, context)).accepted,
    );
  };
  const take = (limiter: WindowLimiter, client: string): Window => {
    const window = limiter.take(client);
    if (!isLimited || limiter.allowed(window)) return window;
    limiter.release(window);
    throw new RetryLaterError(
      'rate_limited',
      `At most ${limiter.limit} events a minute.`,
      limiter.resetSeconds(window),
    );
  };

  /** What is no id of an account, which may be long, is not remembered. */
  const receiveCounted = async (req: FastifyRequest<ToAccount>): Promise<boolean> => {
    const { accountId } = req.params;
    if (!accountIds.safeParse(accountId).success) return false;
    const byAccount = take(eventsOfAccount, accountId);
    let accepted = false;
    try {
      accepted = await inRequestSpan(req, () => receive(req));
    } finally {
      if (accepted) eventsOfAccount.keep(byAccount);
      else eventsOfAccount.release(byAccount);
    }
    return accepted;
  };

  void server.register((events, _, done) => {
    // The signature is of the bytes, whatever they are.
    events.removeAllContentTypeParsers();
    events.addContentTypeParser('*', { parseAs: 'buffer' }, (_req, body, parsed) => parsed(null, body));
    events.post<ToAccount>('/api/processors/stripe/:accountId', async (req, reply) => {
      // An address counts by what it is refused, an account by what it is sent: no other client uses up what Stripe may send.
      const byAddress = take(refusedEvents, clientOfAddress(req.ip));
      let accepted: boolean | undefined;
      try {
        accepted = await receiveCounted(req);
      } finally {
        if (accepted === false) refusedEvents.keep(byAddress);
        else refusedEvents.release(byAddress);
      }
      if (!accepted) throw notTaken();
      return await reply.code(200).send({ received: true });
    });
    done();
  });
}

const notTaken = (): DomainError =>
  new DomainError(
    'malformed_request',
    'The body is not signed with a secret of this address, or not within five minutes. Send the bytes as they were signed, with Stripe-Signature.',
  );
