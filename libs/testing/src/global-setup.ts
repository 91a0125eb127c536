import type { TestProject } from 'vitest/node';
import { type RunningInfra, startInfra, type TestInfra } from './infra.ts';

declare module 'vitest' {
  interface ProvidedContext {
    testInfra: TestInfra;
  }
}

let running: RunningInfra | undefined;

/** Vitest calls this once per run and project, before the first test file. */
export async function setup(project: TestProject): Promise<void> {
  running = await startInfra();
  project.provide('testInfra', running.infra);
}

export async function teardown(): Promise<void> {
  await running?.stop();
  running = undefined;
}
