import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { exitCodes } from '../daily-job.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a YAML file holds is only known once it is read.
type Yaml = any;

const cronJob: Yaml = parse(readFileSync(new URL('../../../k8s/base/daily.yaml', import.meta.url), 'utf8'));

/**
 * What the Job controller does once a pod has failed: the first rule of `podFailurePolicy` that matches decides; without one
 * the pod is repeated `backoffLimit` times. The API server accepts such a policy only where pods never restart by themselves.
 */
function afterFailure(job: Yaml, { exitCode, condition }: { exitCode: number; condition?: string }): string {
  const { podFailurePolicy: policy, template } = job;
  if (policy !== undefined) expect(template.spec.restartPolicy).toBe('Never');
  const matching = (policy?.rules ?? []).find(({ onExitCodes: exit, onPodConditions: conditions }: Yaml) => {
    if (conditions) return conditions.some(({ type, status }: Yaml) => type === condition && status === 'True');
    expect(template.spec.containers.map(({ name }: Yaml) => name)).toContain(exit.containerName);
    return exit.values.includes(exitCode) === (exit.operator === 'In');
  });
  if (matching?.action === 'FailJob') return 'fails';
  if (matching?.action === 'Ignore') return 'is replaced';
  return job.backoffLimit > 0 ? 'repeats' : 'fails';
}

test.each([
  ['that ran with problems', { exitCode: exitCodes.incomplete }, 'fails'],
  ['that was refused', { exitCode: exitCodes.refused }, 'fails'],
  ['without a result', { exitCode: exitCodes.unknown }, 'repeats'],
  ['that ran out of memory', { exitCode: 137 }, 'repeats'],
  ['whose node was drained', { exitCode: 143, condition: 'DisruptionTarget' }, 'is replaced'],
])('Kubernetes runs no daily job again because it had problems: a job %s', (_, pod, expected) => {
  expect(afterFailure(cronJob.spec.jobTemplate.spec, pod)).toBe(expected);
});
