import type { StripeFault, StripeRequest } from './stripe-stand-in.ts';

const loud: readonly StripeFault[] = [
  ...(['broken_before', 'broken_after', 'html_after', 'error_after', 'rate_limited', 'doubled'] as const),
];
/** What ends with the deadline is rarer, because it takes so long. */
const all: readonly StripeFault[] = [...loud, ...loud, 'silent_before', 'silent_after', 'late'];

/**
 * Of what changes something nearly a half goes wrong, of what is read a tenth.
 * @param random in [0, 1)
 */
export function randomRequestFaults(random: () => number): (request: StripeRequest) => StripeFault | undefined {
  return ({ method }) => {
    const [share, faults] = method === 'POST' ? ([0.45, all] as const) : ([0.1, loud] as const);
    return random() < share ? faults[Math.floor(random() * faults.length)] : undefined;
  };
}
