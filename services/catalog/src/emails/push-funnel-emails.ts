import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { type pushFunnelEmails as contract, funnelEmailSynced } from '@app/contracts/funnels';
import { addToOutbox, outboxRow } from '@app/messaging/outbox';
import type { RequestContext } from '@app/messaging/request-headers';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { runCommand } from '../commands/run-command.ts';
import { requireProduct } from '../products/require-product.ts';
import { FunnelEmail } from './funnel-email.entity.ts';

/**
 * Hands every email of the product to the tool that sends it: one event each, in order of position.
 * @throws DomainError product_not_found
 */
export async function pushFunnelEmails(
  { database, clock, wakeRelay }: UseCaseDeps,
  { accountId, commandId, requestId }: RequestContext,
  { productId }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const result = await runCommand(database, commandId, async (tx) => {
    const product = await requireProduct(tx, accountId, productId);
    const emails = await tx.find(FunnelEmail, { accountId, productId }, { orderBy: { position: 'asc' } });
    const source = { accountId, requestId, nowMs: clock.nowMs() };
    const about = { productId, productSlug: product.slug, productName: product.name };
    const events = emails.map(({ position, sendDay, subject, body }) =>
      outboxRow(funnelEmailSynced, { ...about, position, sendDay, subject, body }, source),
    );
    await addToOutbox(tx, events);
    return { ok: true as const, sent: events.length };
  });
  wakeRelay();
  return result;
}
