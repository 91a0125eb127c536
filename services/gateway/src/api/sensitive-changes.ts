import { holdChangeNotice } from '../identity/change-notice.ts';
import { requireConfirmation } from '../identity/confirmation.ts';
import type { SensitiveChange } from '../identity/letters/change-notice.rules.ts';
import { disposalOf } from './idempotency.rules.ts';
import type { OperationCall, OperationTypes, UntaggedOperation } from './operation.ts';

export type AnyCall = OperationCall<unknown, unknown, unknown>;

/** What the call would redirect; null for nothing. */
type ChangeOf = (call: AnyCall) => Promise<SensitiveChange | null> | SensitiveChange | null;

const note =
  'Where it redirects money or data, a session needs `confirm` within the last 15 minutes (403 `password_required`), and the ' +
  'account’s owner gets an email about it, whoever calls; 20 a day at most.';

/**
 * An operation that may redirect money or data: a session needs its person for that, and the owner gets a letter, whoever calls.
 * @param changeOf validated input; what it throws is the answer
 */
export function sensitive<Id extends string, Types extends OperationTypes>(
  operation: UntaggedOperation<Id, Types>,
  changeOf: ChangeOf,
): UntaggedOperation<Id, Types> {
  const { description, errors } = operation;
  return {
    ...operation,
    description: description === undefined ? note : `${description}\n\n${note}`,
    errors: [...errors, 'password_required'],
    run: async (call) => {
      const change = await changeOf(call);
      if (change === null) return await operation.run(call);
      await requireConfirmation(call.app, call.actor);
      return await withNotice(call, change, () => operation.run(call));
    },
  };
}

async function withNotice(call: AnyCall, change: SensitiveChange, run: () => Promise<object>): Promise<object> {
  const { app, actor, address, headers, ownUrls, baseUrl } = call;
  const notice = await holdChangeNotice(app, change, {
    ...{ actor, address, userAgent: headers['user-agent'] },
    baseUrl: ownUrls[0] ?? baseUrl,
  });
  try {
    const result = await run();
    await notice.release();
    return result;
  } catch (err) {
    if (disposalOf(err, false) === 'deleteRecord') await notice.drop();
    else await notice.release();
    throw err;
  }
}
