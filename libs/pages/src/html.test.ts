import { expect, test } from 'vitest';
import { html } from './html.ts';

const hostile = `<img src=x onerror="alert(1)"> & 'so'`;

test('text is escaped between tags and in attributes, and HTML stands as it is', () => {
  const part = html`<b>${hostile}</b>`;
  expect(html`<p title="a ${hostile}">${part} ${3} x="${'<'}"</p>`.text).toBe(
    '<p title="a &lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;so&#39;">' +
      '<b>&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;so&#39;</b> 3 x="&lt;"</p>',
  );
});

test('lists are written one after another, and nothing is written for false, null and undefined', () => {
  expect(html`<ul>${[1, 2].map((each) => html`<li>${each}</li>`)}${false}${null}${undefined}</ul>`.text).toBe(
    '<ul><li>1</li><li>2</li></ul>',
  );
});

test('an attribute whose whole value is false, null or undefined is left out, and true leaves its value out', () => {
  const input = (checked: boolean, title?: string) =>
    html`<input type="checkbox" name="a-${1}-${'b'}" checked="${checked}" title="${title}">`.text;
  expect(input(true, '')).toBe('<input type="checkbox" name="a-1-b" checked title="">');
  expect(input(false)).toBe('<input type="checkbox" name="a-1-b">');
});

test.each([
  ['javascript:alert(1)'],
  [' javascript:alert(1)'],
  ['java\nscript:alert(1)'],
  ['JaVaScRiPt:alert(1)'],
  ['data:text/html,<script>alert(1)</script>'],
  ['vbscript:x'],
])('the address %j is left out', (address) => {
  expect(html`<a href="${address}">a</a>`.text).toBe('<a>a</a>');
  expect(html`<form action="${address}"></form>`.text).toBe('<form></form>');
  expect(html`<button hx-post="${address}"></button>`.text).toBe('<button></button>');
});

test.each(['https://a.example/?b=c:d', '/c/a', '?page=2', '#end', 'mailto:a@b.example', 'page', ''])(
  'the address %j stands',
  (address) => {
    expect(html`<a href="${address}">a</a>`.text).toBe(`<a href="${address}">a</a>`);
  },
);

test.each<[string, () => unknown]>([
  ['an unquoted attribute', () => html`<a title=${'b'}>a</a>`],
  ['a quoted attribute with apostrophes', () => html`<a title='${'b'}'>a</a>`],
  ['a value as the name of an attribute', () => html`<a ${'title'}="b">a</a>`],
  ['a value as the name of a tag', () => html`<${'a'}>a</a>`],
  ['a value in a comment', () => html`<!-- ${'a'} -->`],
  ['a tag that does not end', () => html`<a title="b`],
  ['a listener', () => html`<a onclick="alert(1)">a</a>`],
  ['a listener with a value', () => html`<a onClick="${'a'}">a</a>`],
  ['a listener of htmx', () => html`<a hx-on:click="alert(1)">a</a>`],
  ['a style', () => html`<a style="color: red">a</a>`],
  ['a style with a value', () => html`<a style="${'a'}">a</a>`],
  ['a style sheet in the page', () => html`<style>a { color: red }</style>`],
  ['a script in the page', () => html`<script>${'a'}</script>`],
  ['a document in an attribute', () => html`<iframe srcdoc="${'a'}"></iframe>`],
  ['an address that runs code', () => html`<a href="javascript:alert(1)">a</a>`],
  ['HTML in an attribute', () => html`<a title="${html`<b>c</b>`}">a</a>`],
])('a template is refused for %s', (_, write) => {
  expect(write).toThrow();
});

test('words that name attributes are text between tags', () => {
  expect(html`<p>Turn it on: style="${'x'}", javascript: is a word</p>`.text).toBe(
    '<p>Turn it on: style="x", javascript: is a word</p>',
  );
});
