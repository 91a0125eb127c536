import { expect, test } from 'vitest';
import { gallery } from './gallery.ts';
import { arabicName, longName } from './samples.ts';

test.each(gallery.map((page) => [page.name, page] as const))('%s is a whole document without a hole', (_, page) => {
  const text = page.render({ stylesheets: ['/pages.css'], scripts: ['/pages.js'] });
  expect(text).toMatch(/^<!doctype html>\n<html lang="en">[\s\S]*<\/html>\n$/);
  expect(text).not.toMatch(/undefined|\[object|NaN|style="|<style|\son\w+="/);
  expect([...text.matchAll(/<main[ >]/g)]).toHaveLength(1);
  expect([...text.matchAll(/<h1[ >]/g)]).toHaveLength(1);
  const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const named = [...text.matchAll(/aria-describedby="([^"]*)"| for="([^"]*)"/g)].flatMap(([, ids = '', of = '']) => [
    ...ids.split(' '),
    of,
  ]);
  expect(named.filter((id) => id !== '' && !ids.includes(id))).toEqual([]);
});

test('names of any length and direction are shown as their seller wrote them', () => {
  const texts = gallery.map((page) => page.render({ stylesheets: [] })).join('');
  expect(texts).toContain(longName);
  expect(texts).toContain(`<bdi>${arabicName}</bdi>`);
});
