/** Browsers that a journey is made with: the first in `npm test`, both in `npm run test:long`. */
export const scripts = [
  ['with script', true],
  ['without script', false],
] as const;
