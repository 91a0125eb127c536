import { z } from 'zod';

/** `true` or `false` in a query, where it is text, and as an argument of an MCP tool, where it is a boolean. */
export const queryBoolean = z.preprocess(
  (given) => (given === 'true' ? true : given === 'false' ? false : given),
  z.boolean(),
);
