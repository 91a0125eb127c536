import { serviceNames } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { describe, expect, test } from 'vitest';
import { allEvents, allRequests } from './support/contracts.ts';
import { read } from './support/repository.ts';

const events = await allEvents();
const requests = await allRequests();

const sectionOf = (service: string, heading: string): string =>
  read(`services/${service}/README.md`)
    .split(/^## /m)
    .find((part) => part.startsWith(`${heading}\n`)) ?? '';

/** `noun.{get,list}` is two names. */
const expand = (name: string): string[] => {
  const [, before = '', choices, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
  return choices === undefined ? [name] : choices.split(',').map((choice) => before + choice + after);
};

/** What a text names in code, as `noun.verb`, without the prefix of the service and the version; `.verb` has the noun before it. */
function namesIn(text: string): string[] {
  let noun = '';
  const names = [...text.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => {
    const name = code.replace(/^(svc|evt)\.[a-z-]+\./, '').replace(/\.v\d+$/, '');
    const whole = /^…?\.+[a-z]/.test(name) ? `${noun}.${name.replace(/^…?\.+/, '')}` : name;
    if (!/^[a-z-]+\.[a-z{,}-]+$/.test(whole)) return [];
    noun = whole.split('.')[0] as string;
    return expand(whole);
  });
  return [...new Set(names)].toSorted();
}

const sorted = (names: readonly string[]) => names.toSorted();
const requestName = (subject: string): string => subject.replace(/^svc\.[a-z-]+\./, '');

describe.each(serviceNames)('the README of %s names', (service) => {
  test('every request that it answers, and no other', () => {
    const own = requests.filter((request) => request.service === service);
    expect(namesIn(sectionOf(service, 'Answers'))).toEqual(sorted(own.map(({ subject }) => requestName(subject))));
  });

  test('every event that it publishes, and no other', () => {
    const own = events.filter((event) => event.service === service);
    expect(namesIn(sectionOf(service, 'Publishes'))).toEqual(sorted(own.map(({ name }) => name)));
  });

  test('every event that it consumes, and no other', () => {
    const consumed = topology[service].consumes.map(({ name }) => name);
    expect(namesIn(sectionOf(service, 'Consumes'))).toEqual(sorted(consumed));
  });
});
