/** A seeded source of chance: the same seed draws the same. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** An integer from 0 to below `below`. */
  below(below: number): number;
  chance(probability: number): boolean;
  oneOf<T>(choices: readonly T[]): T;
  /** A source of its own: what one actor draws does not depend on how fast the others are. */
  fork(): Random;
}

/** Mulberry32: 32 bits of state are plenty for choices of actors. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    oneOf: (choices) => choices[below(choices.length)] as (typeof choices)[number],
    fork: () => createRandom(below(2 ** 32)),
  };
}
