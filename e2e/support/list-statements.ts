/*
 * Prints the statements that each service's modules make, as JSON: `{ "<service>": [{ "name", "text" }] }`. A library's
 * stand with the first service that uses it.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@app/contracts/services';
import { statementDefined } from '@app/service-kit/database';
import { type Announcement, announcements } from '@app/service-kit/points';

interface Defined {
  readonly name: string;
  readonly text: string;
}

let defined: Defined[] = [];
announcements.subscribe((message) => {
  const { point, detail } = message as Announcement;
  if (point === statementDefined.name) defined.push(detail as Defined);
});

const statements: Record<string, Defined[]> = {};
for (const name of serviceNames) {
  const source = join(import.meta.dirname, '../../services', name, 'src');
  // main.ts starts the service.
  const modules = globSync('**/*.ts', {
    cwd: source,
    exclude: ['**/*.test.ts', 'main.ts', 'openapi/write-openapi.ts'],
  });
  for (const path of modules.toSorted()) await import(join(source, path));
  statements[name] = defined;
  defined = [];
}
// Most of messaging is imported by the main.ts of each service alone.
const messaging = join(import.meta.dirname, '../../libs/messaging/src');
for (const path of globSync('*.ts', { cwd: messaging, exclude: ['*.test.ts'] }).toSorted())
  await import(join(messaging, path));
statements[serviceNames[0]]?.push(...defined);

process.stdout.write(JSON.stringify(statements));
