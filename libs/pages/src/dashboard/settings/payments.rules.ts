import type { Problem } from '../../call.ts';

export const modes = ['live', 'test'] as const;

interface Pair {
  readonly secretKey: string;
  readonly publishableKey: string;
  /** Null: the platform makes the endpoint. */
  readonly webhookSecret?: string | null;
}

/** The pairs that were typed, whole or in part; a pair with nothing in it leaves what is stored. */
export function pairsOf(sent: URLSearchParams): Partial<Record<(typeof modes)[number], Pair>> {
  const typed = (name: string) => (sent.get(name) ?? '').trim();
  const pairs = modes.map((mode) => {
    const pair = { secretKey: typed(`${mode}SecretKey`), publishableKey: typed(`${mode}PublishableKey`) };
    const webhookSecret = sent.has(`${mode}MakesEndpoint`) ? null : typed(`${mode}WebhookSecret`);
    return [mode, webhookSecret === '' ? pair : { ...pair, webhookSecret }] as const;
  });
  return Object.fromEntries(pairs.filter(([, pair]) => Object.values(pair).some((value) => value !== '')));
}

/** `live.secretKey` as the form's field is named; what is said of a whole pair stands at its secret key. */
const fieldOf = (name: string): string => {
  const [, mode, key = 'secretKey'] = /^(live|test)(?:\.(\w+))?$/.exec(name) ?? [];
  return mode === undefined ? name : `${mode}${key.slice(0, 1).toUpperCase()}${key.slice(1)}`;
};

/**
 * A refusal with its errors at the fields of the form. That Stripe was not reached, or has another account, is said where the
 * secret keys were typed.
 * @param given the modes whose keys were typed
 */
export function refusedKeys(problem: Problem, given: readonly string[]): Problem {
  const { code, detail, errors = [] } = problem;
  const aboutKeys = code === 'service_unavailable' || code === 'invalid_transition';
  if (aboutKeys && given.length > 0) {
    const [first = '', ...rest] = given.map((mode) => fieldOf(mode));
    const said = [first, ...rest].map((field) => ({
      field,
      message: `was not stored. ${detail.replace(/\.$/, '')}`,
      code,
    }));
    return Object.assign({}, problem, { errors: said });
  }
  return Object.assign({}, problem, { errors: errors.map((one) => ({ ...one, field: fieldOf(one.field) })) });
}

/** What a refused form shows again: no secret, be it typed into the wrong field. */
export const shownValues = (values: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...values].filter(([name, value]) => !/secret/i.test(name) && !/^\s*(?:sk|rk)_/.test(value)));
