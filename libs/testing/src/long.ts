/** `npm run test:long`: the volumes and numbers of random histories that would make every day's run slow. */
export const isLong = process.env.TEST_LONG === '1';

/** A number that proves the same in both: small in `npm test`, large in `npm run test:long`. */
export const volume = (usual: number, long: number): number => (isLong ? long : usual);

/** The limit in time of tests: a longer form may take half an hour. */
export const timeoutMs = (usual: number): number => volume(usual, 1_800_000);

/**
 * Parameters of fast-check: in `npm test` a few runs that are the same each time, in `npm run test:long` many with a
 * fresh seed, which fast-check names when one fails. `HISTORIES` is another number of them.
 */
export const randomRuns = (usual: number, long: number): { numRuns: number; seed?: number } =>
  isLong ? { numRuns: Number(process.env.HISTORIES ?? long) } : { numRuns: usual, seed: 20_261_123 };
