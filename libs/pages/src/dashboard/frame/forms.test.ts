import { expect, test } from 'vitest';
import type { Problem } from '../../call.ts';
import { html } from '../../html.ts';
import { form, refusedForm, typedField, unreadable } from './forms.ts';

const typed = new URLSearchParams({ price: 'x', name: 'Ada' });
const problemOf = (code: string, errors: Problem['errors'] = []): Problem => {
  const about = { type: 'about:blank', title: 'Refused', status: 422, detail: 'What the API says.', requestId: 'r' };
  return Object.assign(about, { code, errors });
};
const refused = (problem: Problem) =>
  refusedForm({ request: { form: typed } }, problem, { priceCents: 'Price' }, { priceCents: 'price' });

test('what was typed stays, and each error stands at its field', () => {
  const errors = [{ field: 'priceCents', code: 'invalid', message: 'must be a number' }];
  const state = refused(problemOf('validation_failed', errors));
  expect(state).toMatchObject({ values: typed, errors: { price: 'Price must be a number.' }, problem: null });
  const noAddress = [{ field: 'priceCents', code: 'invalid_format', message: 'must be an email address' }];
  expect(refused(problemOf('validation_failed', noAddress)).errors.price).toMatch(/^Enter an email address, like/);
  const others = [{ field: 'slug', code: 'invalid', message: 'is too long' }];
  expect(refused(problemOf('validation_failed', others)).problem).toBe('slug is too long.');
});

test('all that is wrong is told at once in the order of the page, which opens at the first', () => {
  const errors = [
    unreadable('priceCents', 'Price is missing: type a number, like 149.'),
    { field: 'priceCents', code: 'wrong_type', message: 'must be a whole number' },
    { field: 'slug', code: 'required', message: 'is required' },
    { field: 'name', code: 'required', message: 'is required' },
  ];
  const labels = { name: 'Name', priceCents: 'Price', slug: 'Address' };
  const visit = { path: '/app/x', request: { query: new URLSearchParams(), newKey: () => 'k', form: typed } };
  const state = refusedForm(visit, problemOf('validation_failed', errors), labels, { priceCents: 'price' });
  expect(Object.entries(state.errors)).toEqual([
    ['name', 'Name is required.'],
    ['price', 'Price is missing: type a number, like 149.'],
    ['slug', 'Address is required.'],
  ]);
  expect(['name', 'price'].map((name) => typedField(state, name))).toMatchObject([
    { value: 'Ada', isAutofocus: true },
    { value: 'x', isAutofocus: false },
  ]);
  expect(form(visit, { content: html``, state }).text).toContain(
    '<a href="#name">Name</a>, <a href="#price">Price</a>, <a href="#slug">Address</a>',
  );
});

test('of a form that is too old or was sent with something else people read what to do', () => {
  expect(refused(problemOf('version_changed')).problem).toMatch(/changed since you opened this page.*save it again/);
  expect(refused(problemOf('idempotency_key_reused')).problem).toMatch(/was sent before.*send it again/);
  expect(refused(problemOf('idempotency_key_in_use')).problem).toMatch(/was sent twice/);
  expect(refused(problemOf('handle_taken')).problem).toBe('What the API says.');
});

test('leaving what was refused or typed before a login needs a confirmation, and nothing else does', () => {
  const visit = { path: '/app/x', request: { query: new URLSearchParams(), newKey: () => 'k' } };
  const content = { content: html`` };
  const marks = (given: Parameters<typeof form>) => form(...given).text.includes(' data-unsaved');
  expect(marks([visit, content])).toBe(false);
  expect(marks([visit, { ...content, state: { values: typed, errors: {}, problem: null } }])).toBe(false);
  expect(marks([visit, { ...content, state: refused(problemOf('handle_taken')) }])).toBe(true);
  expect(marks([visit, { ...content, state: { values: typed, errors: { price: 'No.' }, problem: null } }])).toBe(true);
  expect(marks([{ ...visit, typed }, content])).toBe(true);
});
