import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderBody as render, renderSubject, type TemplateValues, templateProblem } from './template.rules.ts';

/** Paragraphs alone: what is a button is checked by itself. */
function renderBody(template: string, values: TemplateValues): { text: string; html: string } {
  const { text, parts } = render(template, values);
  return { text, html: parts.map((part) => ('html' in part ? `<p>${part.html}</p>\n` : '')).join('') };
}

const fields = ['firstName', 'product', 'accessUrl'];

test('a template that names a field of the event is taken, with one space around the name or none', () => {
  for (const template of ['Hello {{firstName}},', '{{ product }} {{product}}', 'no fields', 'a { b } }} c'])
    expect(templateProblem(template, fields)).toBeUndefined();
});

test.each([
  ['{{surname}}', 'names {{surname}}, which this event does not have. The fields are firstName, product, accessUrl'],
  ['{{constructor}}', 'names {{constructor}}, which'],
  ['Hello {{firstName', 'has {{ without the name of a field'],
  ['{{first name}}', 'has {{ without'],
  ['{{product.name}}', 'has {{ without'],
  ['{{#if product}}x{{/if}}', 'has {{ without'],
  ['{{{product}}}', 'has {{ without'],
])('a template that would not do what it seems to say is refused: %s', (template, problem) => {
  expect(templateProblem(template, fields)).toContain(problem);
});

test('a template names at most 100 fields', () => {
  expect(templateProblem('{{product}}'.repeat(100), fields)).toBeUndefined();
  expect(templateProblem('{{product}}'.repeat(101), fields)).toBe('names more than 100 fields');
});

test('a body is paragraphs of lines, and lines whose fields are all empty are left out', () => {
  const template = 'Hello {{firstName}},\r\n\r\n\r\n{{product}} is yours\nYour access: {{accessUrl}}\n\nBye';
  expect(renderBody(template, { firstName: '', product: 'Course', accessUrl: '' })).toEqual({
    text: 'Course is yours\n\nBye\n',
    html: '<p>Course is yours</p>\n<p>Bye</p>\n',
  });
  expect(renderBody(template, { firstName: 'Ada', product: 'A & B', accessUrl: 'https://a.example/?x=1&y=2' })).toEqual(
    {
      text: 'Hello Ada,\n\nA & B is yours\nYour access: https://a.example/?x=1&y=2\n\nBye\n',
      html: '<p>Hello Ada,</p>\n<p>A &amp; B is yours</p>\n<p>Bye</p>\n',
    },
  );
});

test('the first line that ends with a link made for its reader is a button; other lines stay as they are', () => {
  const template = 'Hello\nYour access: {{accessUrl}}\nbye\n\n{{portalUrl}} or {{product}}\n{{portalUrl}}';
  const accessUrl = 'https://a.example/in';
  const values = { accessUrl, portalUrl: 'https://b.example/p', product: 'A' };
  const { text, parts } = render(template, values);
  expect(text).toContain(`Your access: ${accessUrl}\n`);
  expect(parts).toMatchObject([
    { html: 'Hello' },
    { button: { label: 'Open what you bought', url: accessUrl } },
    { html: 'bye' },
    { html: expect.stringContaining('https://b.example/p') },
  ]);
  expect(render('{{accessUrl}}', { accessUrl: 'javascript:alert(1)' }).parts).toEqual([
    { html: 'javascript:alert(1)' },
  ]);
});

test('addresses of the template are links; a value within one is encoded, and a value elsewhere is never a link', () => {
  const values = { product: 'a/b?c&d', firstName: 'https://evil.example' };
  expect(renderBody('See https://shop.example/{{product}}.\n{{firstName}}', values)).toEqual({
    text: 'See https://shop.example/a%2Fb%3Fc%26d.\nhttps://evil.example\n',
    html:
      '<p>See <a href="https://shop.example/a%2Fb%3Fc%26d">https://shop.example/a%2Fb%3Fc%26d</a>.<br>\n' +
      'https://evil.example</p>\n',
  });
  expect(renderBody('javascript:alert(1) {{accessUrl}}', { accessUrl: 'javascript:alert(1)' }).html).not.toContain(
    '<a',
  );
});

test('a subject is one line of at most 200 characters', () => {
  const values = { firstName: 'x\r\nBcc: eve@example.com\u2028', product: '☃'.repeat(300) };
  expect(renderSubject('Hello {{firstName}}', values)).toBe('Hello x Bcc: eve@example.com');
  expect(renderSubject('{{product}}', values)).toBe('☃'.repeat(200));
});

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '{{product}}',
    '<script>a()</script>',
    '"><img src=x>',
    '\r\nBcc: e@x.example\r\n\r\n',
    '\u202Ex',
    '$&',
  ),
  fc.constantFrom('https://evil.example/"onclick="a()', '</p>', '&lt;', '\u0000', '\ud800', 'https://', 'HTTP://a.b c'),
);
const template = fc.array(
  fc.oneof(hostile, fc.constantFrom('{{a}}', '{{ b }}', '{{linkUrl}}', 'https://x.example/', '\n')),
  {
    maxLength: 8,
  },
);

/** What is left of the HTML without the tags that the renderer itself writes. */
const ownTags = /<\/?p>|<br>|<a href="https?:\/\/[^"<>\s]*">|<\/a>/gi;

test('no value and no template adds a tag, an attribute or a second line to an email', () => {
  fc.assert(
    fc.property(template, hostile, hostile, hostile, (parts, a, b, linkUrl) => {
      // Templates come through the API, which takes no lone surrogates.
      const text = parts.join('').toWellFormed();
      const values = { a, b, linkUrl };
      const body = renderBody(text, values);
      expect(body.html.replaceAll(ownTags, '')).not.toMatch(/[<>"]/);
      expect(body.html.replaceAll(/&(amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
      expect(body.text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      expect(renderSubject(text, values)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    }),
    randomRuns(2_000, 40_000),
  );
});

test('a value is never read again: it comes out as it is, escaped for where it goes', () => {
  fc.assert(
    fc.property(hostile, (a) => {
      const { text } = renderBody('x{{a}}x', { a, b: 'seen' });
      expect(text).not.toContain('seen');
      expect(text.split('\n')).toHaveLength(text === '' ? 1 : 2);
      expect(renderSubject('x{{a}}x', { a, b: 'seen' })).not.toContain('seen');
    }),
    randomRuns(100, 5_000),
  );
});

test('a value without its template’s address around it is no link, whatever it is', () => {
  fc.assert(
    fc.property(fc.webUrl(), hostile, (url, a) => {
      expect(renderBody('Hello {{a}}{{b}}!', { a: `${a}${url}`, b: url }).html).not.toContain('<a ');
    }),
    randomRuns(100, 5_000),
  );
});

test.each([
  ['many addresses in one word', `${'https://'.repeat(2_430)}"${'{{email}}'.repeat(100)}`],
  ['many fields in one address', `https://x.example/${'{{email}}'.repeat(100)}${'https://'.repeat(2_300)}`],
])('a line takes the time of its length: %s', (_, line) => {
  const cpuMs = (text: string): number => {
    const before = process.cpuUsage();
    renderBody(text, { email: '!'.repeat(2_048) });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  cpuMs(line.slice(0, 1_000));
  expect(cpuMs(line)).toBeLessThan(1_000);
});

test('a value is encoded up to the end of the address that it stands in', () => {
  const body = 'x https://x.example/{{a}}{{a}} {{a}} HTTP://x.example/"{{a}}';
  expect(renderBody(body, { a: 'b c' }).text).toBe('x https://x.example/b%20cb%20c b c HTTP://x.example/"b c\n');
  expect(renderBody('{{a}}s://x.example/{{b}}', { a: 'http', b: 'b c' }).text).toBe('https://x.example/b c\n');
});
