import { join } from 'node:path';
import type { EventDefinition, RequestDefinition } from '@app/contracts/define';
import { find, isTest, root } from './repository.ts';

async function allOfKind<Definition>(kind: string): Promise<Definition[]> {
  const files = find('libs/contracts/src/*.ts').filter((file) => !isTest(file));
  const modules = await Promise.all(files.map((file) => import(join(root, file)) as Promise<object>));
  const values = modules.flatMap((module) => Object.values(module) as unknown[]);
  const isWanted = (value: unknown): value is Definition => (value as { kind?: unknown } | null)?.kind === kind;
  return [...new Set(values.filter(isWanted))];
}

/** Every kind of event that the contracts define, once. */
export const allEvents = (): Promise<EventDefinition[]> => allOfKind('event');

/** Every request that the contracts define, once. */
export const allRequests = (): Promise<RequestDefinition[]> => allOfKind('request');
