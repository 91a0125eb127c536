import type { FieldError } from '@app/contracts/errors';

/** What callers give and get, by the id of the operation. The gateway declares them, from its list in `operations/all-operations.ts`. */
// biome-ignore lint/suspicious/noEmptyInterface: the gateway's declaration is merged into it
export interface Operations {}

/** The body of a refusal, as HTTP sends it (RFC 9457). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly requestId: string;
  /** What is wrong with which field of the input. */
  readonly errors?: readonly FieldError[];
}

declare const recognized: unique symbol;

/** Who calls: the gateway recognized it in a browser's request, and nothing else makes one. */
export interface PageActor {
  readonly [recognized]: true;
  /** The secret of a buyer's checkout: `{ ...actor, checkoutSecret }` is the actor with it. */
  readonly checkoutSecret?: string;
  /** The secret of a buyer's session of the portal, likewise. */
  readonly portalSession?: string;
}

interface Types {
  readonly params: object;
  readonly query: object;
  readonly body: unknown;
  readonly result: unknown;
}

/** Left out where nothing has to be given; fields that there are not cannot be given. */
type Given<Name extends string, Value> = keyof Value extends never
  ? { readonly [Each in Name]?: Record<string, never> }
  : Record<never, never> extends Value
    ? { readonly [Each in Name]?: Value }
    : { readonly [Each in Name]: Value };

type GivenBody<Body> = [Body] extends [undefined]
  ? { readonly body?: undefined }
  : undefined extends Body
    ? { readonly body?: Body }
    : { readonly body: Body };

export type CallRequest<Of extends Types> = Given<'params', Of['params']> &
  Given<'query', Of['query']> &
  GivenBody<Of['body']> & {
    readonly actor: PageActor;
    /**
     * As the header of that name, for operations that take one. A second click of a form must find what the first one did,
     * so a page sends a key with a POST that would do more than once. A PUT, PATCH or DELETE does by itself what it did once: its page
     * sends a key where the second click would show an error (an update by `ifVersion` finds a newer version, what a DELETE removed is
     * not found, a card's token is used up) or would put older values back: an update without a version.
     */
    readonly idempotencyKey?: string;
    /**
     * Does nothing new: an earlier call with the key is answered, and finished where its outcome is unknown. Where there was
     * none it is refused with `version_changed`. For forms whose amount is of the server, with no version to send: a refund
     * and a payout, whose page is old when the amount has changed.
     */
    readonly onlyRepeats?: boolean;
    /** The `version` of the resource that an update was made from, as the header If-Match, for operations that take one. */
    readonly ifVersion?: number;
    /** What could not be read of what was typed: nothing is done, and the refusal names it beside all else that is wrong. */
    readonly faults?: readonly FieldError[];
  };

export interface Refused {
  readonly ok: false;
  readonly problem: Problem;
  /** After so many seconds another attempt makes sense; null where none does. */
  readonly retryAfterSeconds: number | null;
}

export type CallResult<Of extends Types> =
  | {
      readonly ok: true;
      readonly body: Of['result'];
      /** The stored response of an earlier call with the same Idempotency-Key. */
      readonly replayed: boolean;
    }
  | Refused;

/**
 * Calls an operation of the API as HTTP would: the same access, validation, limits, idempotency and errors. It never
 * throws for what the API refuses. The gateway makes it, by `createCall`.
 */
export type Call = <Id extends keyof Operations>(
  operationId: Id,
  request: CallRequest<Operations[Id]>,
) => Promise<CallResult<Operations[Id]>>;
