import { limits } from '@app/contracts/common';
import { escapeHtml, plainLine } from '@app/contracts/plain-text';
import type { LetterLink, LetterPart, LetterReceipt } from '@app/email/letter';

/**
 * Templates are data: `{{field}}` is replaced by the value of a field, and nothing else happens. A value is one line of
 * plain text. It is never read as a template, as HTML or as a link, unless the field is a link (`accessUrl`).
 */
export type TemplateValues = Readonly<Record<string, string>>;

interface Field {
  readonly field: string;
}
/** Literal text, or the name of a field. */
type Segment = string | Field;

const placeholder = /\{\{ ?([A-Za-z][A-Za-z0-9_]{0,49}) ?\}\}/;
/** With values of 2,048 characters an email stays under 250 KB. */
const fieldsMax = 100;
const valueMax = limits.url;

function segmentsOf(template: string): Segment[] {
  // Splitting by a pattern with one group gives literals and names in turn.
  return template.split(placeholder).map((part, index) => (index % 2 === 0 ? part : { field: part }));
}

/** The fields that a template names. */
export const fieldsIn = (template: string): string[] =>
  segmentsOf(template)
    .filter(isField)
    .map(({ field }) => field);

const isField = (segment: Segment): segment is Field => typeof segment !== 'string';

/** What is left of a field that was not written right; a field is one NUL here, which no template has. */
const braces = /\{\{|\{\0|\0\}/;

/** What is wrong with a template, as the end of a sentence that begins with its name; undefined when nothing is. */
export function templateProblem(template: string, fields: readonly string[]): string | undefined {
  const segments = segmentsOf(template);
  const named = fieldsIn(template);
  const unknown = named.find((field) => !fields.includes(field));
  const known = `The fields are ${fields.join(', ')}`;
  if (unknown !== undefined) return `names {{${unknown}}}, which this event does not have. ${known}`;
  if (named.length > fieldsMax) return `names more than ${fieldsMax} fields`;
  return braces.test(segments.map((segment) => (isField(segment) ? '\u0000' : segment)).join(''))
    ? `has {{ without the name of a field and }} after it. ${known}`
    : undefined;
}

/** One line of at most 200 characters. */
export function renderSubject(template: string, values: TemplateValues): string {
  const text = segmentsOf(template)
    .map((segment) => (isField(segment) ? textOf(segment, values) : segment))
    .join('');
  return [...plainLine(text)].slice(0, limits.name).join('');
}

interface Made {
  /** In place of a line that names one alone, by the field. */
  readonly lists?: Readonly<Record<string, LetterReceipt | null>>;
  /** Of buttons, by the fields of their links, where they say more than `buttonLabels`. */
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * The plain part and the parts of the HTML part. An empty line ends a paragraph. A line whose fields are all empty is left out, so that
 * `Your access: {{accessUrl}}` is there only with an address. The first line that ends with such a link is a button.
 */
export function renderBody(
  template: string,
  values: TemplateValues,
  { lists = {}, labels = {} }: Made = {},
): { text: string; parts: LetterPart[] } {
  const lines = template
    .replaceAll(/\r\n?/g, '\n')
    .split('\n')
    .map(segmentsOf)
    .flatMap((segments) => {
      const field = aloneIn(segments);
      const list = Object.hasOwn(lists, field) ? (lists[field] ?? null) : null;
      if (list !== null) return [listLine(list)];
      return isLeftOut(segments, values) ? [] : [renderLine(segments, values, labels)];
    });
  const paragraphs = paragraphsOf(lines);
  return {
    text: paragraphs.map((paragraph) => paragraph.map(({ text }) => `${text}\n`).join('')).join('\n'),
    parts: partsOf(paragraphs),
  };
}

/** The field that the line has alone; empty where it has more, or none. */
function aloneIn(segments: readonly Segment[]): string {
  const [field, ...others] = segments.filter((segment) => isField(segment) || segment.trim() !== '');
  return field !== undefined && isField(field) && others.length === 0 ? field.field : '';
}

function listLine(receipt: LetterReceipt): Line {
  const { lines, total, facts } = receipt;
  const priced = [...lines, total].flatMap(({ label, amount, url = '' }) => [
    `${plainLine(label)}  ${plainLine(amount)}`,
    ...(url === '' ? [] : [`  ${plainLine(url)}`]),
  ]);
  const text = [...priced, ...facts.map(([term, value]) => `${term}: ${plainLine(value)}`)].join('\n');
  return { text, values: [], button: undefined, receipt };
}

/** What a link is for, by the field that has it. */
const buttonLabels: Readonly<Record<string, string>> = {
  accessUrl: 'Open what you bought',
  cardUrl: 'Use another card',
  portalUrl: 'Open your purchases',
  buyAgainUrl: 'Buy it again',
  orderUrl: 'See the order',
};

function partsOf(paragraphs: readonly (readonly Line[])[]): LetterPart[] {
  const parts: LetterPart[] = [];
  let hasButton = false;
  for (const paragraph of paragraphs) {
    let open: Line[] = [];
    const close = () => {
      if (open.length > 0) parts.push({ html: open.map(htmlOf).join('<br>\n') });
      open = [];
    };
    for (const line of paragraph) {
      if (line.receipt !== undefined) parts.push({ receipt: line.receipt });
      else if (line.button === undefined || hasButton) open.push(line);
      else {
        close();
        parts.push({ button: line.button });
        hasButton = true;
      }
    }
    close();
  }
  return parts;
}

function isLeftOut(segments: readonly Segment[], values: TemplateValues): boolean {
  const fields = segments.filter(isField);
  return fields.length > 0 && fields.every((field) => textOf(field, values) === '');
}

function textOf({ field }: Field, values: TemplateValues): string {
  const value = Object.hasOwn(values, field) ? (values[field] as string) : '';
  return plainLine(value.slice(0, valueMax).toWellFormed());
}

interface Line {
  readonly text: string;
  /** Ranges of the text that a value filled: no link may touch them. */
  readonly values: readonly (readonly [number, number])[];
  /** Of a line that ends with one of the links that are made for its reader. */
  readonly button: LetterLink | undefined;
  /** In place of a line, what was bought. It is a paragraph of its own. */
  readonly receipt?: LetterReceipt;
}

const urlEnd = /[\s<>"]/;
const scheme = /https?:\/\//i;
const schemeMax = 'https://'.length;
const wholeUrl = /^https?:\/\/[^\s<>"]+$/i;

/** The end of a text that grows. It is followed part by part: going back each time would cost the square of a long line. */
interface Tail {
  /** Where the last word of the text begins. */
  readonly word: number;
  /** Where an address begins in that word, which goes on to the end of the text. */
  readonly url: number | undefined;
}

/** @param from where the part begins that the text has got since `before` */
function tailOf(text: string, from: number, before: Tail): Tail {
  const part = text.slice(from);
  const last = part.split(urlEnd).at(-1) ?? '';
  const isLonger = last.length === part.length;
  if (isLonger && before.url !== undefined) return before;
  const word = isLonger ? before.word : text.length - last.length;
  // The scheme may have begun in the part before.
  const searched = Math.max(word, from - schemeMax);
  const begun = text.slice(searched).search(scheme);
  return { word, url: begun === -1 ? undefined : searched + begun };
}

function renderLine(segments: readonly Segment[], values: TemplateValues, labels: NonNullable<Made['labels']>): Line {
  const filled: [number, number][] = [];
  let text = '';
  let tail: Tail = { word: 0, url: undefined };
  const append = (part: string): void => {
    const from = text.length;
    text += part;
    tail = tailOf(text, from, tail);
  };
  for (const segment of segments) {
    if (!isField(segment)) {
      // Leading spaces stay: plainLine would take them from between two fields.
      append(segment.replaceAll(/\p{Cc}+/gu, ' '));
      continue;
    }
    const value = textOf(segment, values);
    if (tail.url !== undefined && !touches(filled, tail.url, text.length)) append(encodeURIComponent(value));
    else {
      const isLink = isLinkOf(segment, value);
      if (!isLink) filled.push([text.length, text.length + value.length]);
      append(value);
    }
  }
  return { text: text.trimEnd(), values: filled, button: buttonOf(segments, values, labels) };
}

const isLinkOf = ({ field }: Field, value: string): boolean =>
  /url$/i.test(field) && wholeUrl.test(value) && URL.canParse(value);

/** The link with which the line ends. */
function buttonOf(
  segments: readonly Segment[],
  values: TemplateValues,
  labels: NonNullable<Made['labels']>,
): LetterLink | undefined {
  const last = segments.findLast((segment) => isField(segment) || segment.trim() !== '');
  if (last === undefined || !isField(last)) return undefined;
  const [label, url] = [labels[last.field] ?? buttonLabels[last.field], textOf(last, values)];
  return label !== undefined && isLinkOf(last, url) ? { label, url } : undefined;
}

const touches = (filled: readonly (readonly [number, number])[], from: number, to: number): boolean =>
  filled.some(([begin, end]) => begin < to && end > from);

function paragraphsOf(lines: readonly Line[]): Line[][] {
  const paragraphs: Line[][] = [];
  let open: Line[] = [];
  for (const line of lines) {
    if (line.receipt !== undefined) {
      paragraphs.push([line]);
      open = [];
    } else if (line.text.trim() !== '') {
      if (open.length === 0) paragraphs.push(open);
      open.push(line);
    } else open = [];
  }
  return paragraphs;
}

/** The text is escaped, and the addresses that the template itself has are links. */
function htmlOf({ text, values }: Line): string {
  let html = '';
  let done = 0;
  for (const match of text.matchAll(/https?:\/\/[^\s<>"]+/gi)) {
    const url = withoutPunctuation(match[0]);
    const end = match.index + url.length;
    if (!URL.canParse(url) || touches(values, match.index, end)) continue;
    html += `${escapeHtml(text.slice(done, match.index))}<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`;
    done = end;
  }
  return html + escapeHtml(text.slice(done));
}

/** Punctuation after an address ends the sentence. A pattern would try it anew from each of many dots. */
function withoutPunctuation(url: string): string {
  let { length } = url;
  while (length > 0 && `.,;:!?'’)]`.includes(url.charAt(length - 1))) length -= 1;
  return url.slice(0, length);
}
