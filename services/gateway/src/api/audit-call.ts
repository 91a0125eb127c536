import type { IncomingHttpHeaders } from 'node:http';
import { DomainError, errorCodes } from '@app/contracts/errors';
import type { StatementQuery } from '@app/service-kit/database';
import type { Actor } from '../identity/actors.ts';
import type { AuditSubject } from '../identity/audit/audit-entry.ts';
import type { CallAudit } from '../identity/audit/call-audit.ts';
import type { App } from './app.ts';
import { disposalOf } from './idempotency.rules.ts';
import type { Operation } from './operation.ts';

/** What is told of who calls. */
interface AuditedRequest {
  readonly actor: Actor;
  /** As `clientOfAddress` gives it. */
  readonly address?: string;
  readonly headers?: IncomingHttpHeaders;
  /** In place of both. */
  readonly from?: Pick<AuditSubject, 'address' | 'userAgent'>;
}

interface AuditedCall {
  /** Of what `callOperation` runs. */
  readonly handle: (commandId: string) => CallAudit;
  /**
   * Runs the call of an account's own key or session between the two writes of its entry. Others write theirs themselves, because
   * only they find out whose account it is.
   */
  run<Result>(commandId: string, objectId: string | null, work: () => Promise<Result>): Promise<Result>;
  /** Counts a refusal for the account that it concerns. */
  refused(err: unknown): void;
}

/** What tells of somebody who tries: mistyped fields and busy services are no news. */
const toldStatuses: readonly number[] = [401, 403, 404, 409];

/** The audit log's view of one call. Every operation passes here: what it is about, its `audit` says. */
export function auditCall(app: App, operation: Operation, request: AuditedRequest): AuditedCall {
  const { actor, address = '', headers = {} } = request;
  const from = request.from ?? { address, userAgent: headers['user-agent'] };
  const { audit: kind = false } = operation;
  let concerned: { readonly accountId: string; readonly userId: string | null } | null =
    actor.accountId === '' ? null : actor;
  const subjectOf = (of: Pick<AuditSubject, 'accountId' | 'actorKind' | 'actorId' | 'userId'>): AuditSubject => {
    if (kind === false) throw new Error(`${operation.id} is not audited`);
    return { kind, operation: operation.id, ...from, ...of };
  };
  const ofActor = (): AuditSubject => {
    const { accountId, keyId, sessionId, userId } = actor;
    return subjectOf({ accountId, actorKind: keyId === null ? 'session' : 'key', actorId: keyId ?? sessionId, userId });
  };
  const refuse = (code: string): void => {
    if (kind === false || concerned === null) return;
    const { accountId } = concerned;
    const anonymous = { accountId, actorKind: 'anonymous', actorId: null, userId: null } as const;
    app.auditLog.countRefusal(actor.accountId === '' ? subjectOf(anonymous) : ofActor(), code);
  };
  return {
    handle: (commandId) => ({
      concerns: (user) => {
        concerned = user;
      },
      refused: refuse,
      entryOf: ({ accountId, userId, sessionId }): StatementQuery<{ id: string }> => {
        const actorKind = sessionId === undefined ? 'link' : 'session';
        const subject = subjectOf({ accountId, userId, actorKind, actorId: sessionId ?? null });
        return app.auditLog.entryOf(subject, commandId);
      },
    }),
    run: async (commandId, objectId, work) => {
      if (kind === false || actor.accountId === '') return await work();
      const entry = await app.auditLog.begin(ofActor(), commandId, objectId);
      let result: Awaited<ReturnType<typeof work>>;
      try {
        result = await work();
      } catch (err) {
        if (disposalOf(err, false) === 'deleteRecord') await entry.drop();
        throw err;
      }
      // The call has had its effect, and an entry that says so in part: an answer that denied it would be worse.
      await entry
        .finish(objectId ?? madeId(result))
        .catch((err: unknown) => app.logger.warn({ err, operation: operation.id }, 'an audit entry was not finished'));
      return result;
    },
    refused: (err) => {
      const { code } = err instanceof DomainError ? err : { code: 'internal' as const };
      if (toldStatuses.includes(errorCodes[code].status)) refuse(code);
    },
  };
}

/** What the path names last: the thing itself, after what it belongs to. */
export const objectOf = (params: unknown): string | null =>
  Object.values(params as Record<string, string>).at(-1) ?? null;

/** The id of what a call made, from its result or the bytes of a service's reply. */
export function madeId(result: unknown): string | null {
  const value: unknown = result instanceof Uint8Array ? JSON.parse(Buffer.from(result).toString('utf8')) : result;
  const { id, orderId } = value as { readonly id?: unknown; readonly orderId?: unknown };
  const made = id ?? orderId;
  return typeof made === 'string' ? made : null;
}
