import type { RequestDefinition } from '@app/contracts/define';
import { z } from 'zod';
import type { Operation, OperationCall, UntaggedOperation } from './operation.ts';

type Method = Operation['method'];

type Forwarded<Id extends string, Verb extends Method, Params> = Omit<
  UntaggedOperation<Id>,
  'method' | 'auth' | 'scope' | 'params' | 'query' | 'body' | 'response' | 'run' | 'types'
> &
  Partial<Pick<Operation, 'auth' | 'scope'>> & {
    readonly method: Verb;
    readonly params?: Params;
  };

interface ForwardedTypes<
  Verb extends Method,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Params extends z.ZodObject,
> {
  readonly params: z.input<Params>;
  readonly query: Verb extends 'GET' ? Omit<z.input<Input>, 'body' | keyof Params['shape']> : Record<never, never>;
  readonly body: Input['shape'] extends { readonly body: infer Body extends z.ZodType } ? z.input<Body> : undefined;
  readonly result: z.output<Output>;
}

/** The fields of the service's input that come neither from the path nor from the body. */
type OtherFields<Input extends z.ZodObject, Params extends z.ZodObject> = Omit<
  z.output<Input>,
  'body' | 'ifVersion' | keyof Params['shape']
>;

/** Whose call it is, and the address for links. */
export type Caller = Pick<OperationCall<unknown, unknown, unknown>, 'actor' | 'baseUrl'>;

/** What a GET needs is in its path and query: a field that is added would be one of the query. */
type AllFromCaller = { readonly method: 'GET'; addedInput?: never };

/** Required when the service needs fields that no caller sends. */
type AddedInput<Fields> =
  Record<never, never> extends Fields
    ? { addedInput?(caller: Caller): Partial<Fields> }
    : { addedInput(caller: Caller): Fields };

/**
 * An operation that only forwards to a service, to the handler that `onRequest` has there for the same request. The request's
 * definition gives the response, the body (its field `body`) and, for a GET, the query: every field that is not in the path.
 * An account's key calls it, with the scope `read` for a read and `write` for a command, unless the operation says otherwise.
 */
export function forwardOperation<
  const Id extends string,
  Verb extends Method,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Params extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(
  request: RequestDefinition<Input, Output>,
  operation: Forwarded<Id, Verb, Params> & (AddedInput<OtherFields<Input, Params>> | AllFromCaller),
): UntaggedOperation<Id, ForwardedTypes<Verb, Input, Output, Params>> {
  type Given = Forwarded<Id, Verb, z.ZodObject> & { addedInput?(caller: Caller): object };
  const { addedInput, params, ...rest }: Given = operation;
  const query = operation.method === 'GET' ? queryOf(request.input, params) : undefined;
  const body = request.input.shape.body as z.ZodType | undefined;
  return {
    auth: 'account',
    scope: request.mode === 'read' ? 'read' : 'write',
    ...rest,
    ...(params && { params }),
    ...(query && { query }),
    ...(body && { body }),
    response: request.output,
    run: ({ app, context, ...call }) => {
      const input = {
        ...(call.params as object),
        ...(call.query as object),
        ...(body && { body: call.body }),
        ...(call.ifVersion !== undefined && { ifVersion: call.ifVersion }),
        ...addedInput?.(call),
      };
      // Safe because `callOperation` validates with the schemas above, which are parts of the request's own.
      return app.requester.requestBytes<RequestDefinition>(request, input, context);
    },
  };
}

/** The input's fields that the path does not have; undefined when none is left. */
function queryOf(input: z.ZodObject, params: z.ZodObject | undefined): z.ZodObject | undefined {
  const fields = Object.entries(input.shape).filter(([name]) => params?.shape[name] === undefined);
  return fields.length === 0 ? undefined : z.object(Object.fromEntries(fields));
}
