import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest. A run that remembers no earlier one starts with the largest files, and ended with a minute of one of these alone. */
const longest = [
  'e2e/standalone.test.ts',
  'e2e/crash.test.ts',
  'e2e/telemetry.test.ts',
  'e2e/outages.test.ts',
  'e2e/stopped-services.test.ts',
  'e2e/webhook-crash.test.ts',
  'e2e/checkout-page.test.ts',
  'services/gateway/test/rate-limit.test.ts',
  'services/gateway/test/decline-limits.test.ts',
  'libs/pages/test/gallery.test.ts',
  'libs/testing/test/guides.test.ts',
  'services/gateway/test/slow-readers.test.ts',
];
for (const file of longest) {
  if (!existsSync(join(import.meta.dirname, '../..', file)))
    throw new Error(`${file}, one of the longest, does not exist`);
}

const positionOf = ({ moduleId }: TestSpecification): number => {
  const position = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
  return position === -1 ? longest.length : position;
};

/** The order of projects in a group: the run ends with the shortest files of services, and no core waits for a long one. */
const projectOrder = ['unit', 'e2e', 'service'];

/** Keeps vitest's order of groups; in each project the longest files come first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A worker is kept while the next file is of its project: the files of a project stay together.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    projects.sort((a, b) => projectOrder.indexOf(a.name) - projectOrder.indexOf(b.name));
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((a, b) => positionOf(a) - positionOf(b)),
    );
  }
}
