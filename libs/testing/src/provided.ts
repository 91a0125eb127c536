import { inject } from 'vitest';
import type {} from './global-setup.ts';
import type { TestInfra } from './infra.ts';

/** The infrastructure of this test run; only inside a test file. */
export function testInfra(): TestInfra {
  const infra = inject('testInfra');
  if (infra === undefined)
    throw new Error('No test infrastructure: run with vitest and globalSetup libs/testing/src/global-setup.ts');
  return infra;
}
