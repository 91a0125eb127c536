import { escapeHtml } from './escape-html.ts';

/** A piece of HTML: what is in it stands as it is. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
/** False, null and undefined show nothing. As the whole value of an attribute they leave it out; true leaves its value out. */
export type Value = Html | string | number | boolean | null | undefined | readonly Value[];
type Piece = (values: readonly Value[]) => string;
const hole = '\0';
const tokens = /<!doctype html>|<\/?[a-z][a-z0-9-]*(?:\s+[a-z][\w:.-]*(?:="[^"]*")?)*\s*\/?>|[^<]+/gy;
const holes = /\0/g;
const attributes = /\s+([a-z][\w:.-]*)="([^"]*)"/g;
/** The content-security-policy would stop it. */
const inlineCode = /\s(on|hx-on|style\b|srcdoc\b)|^<(style|script(?!.*\ssrc="))\b|javascript:/i;
const addresses = /^(href|src|action|formaction|poster|cite|data|hx-(get|post|put|patch|delete))$/;
/** Of this site, or of a scheme that runs nothing. */
const harmless = /^(https?:\/\/|mailto:|[/?#]|[\w.%-]+([/?#]|$)|$)/i;
const templates = new WeakMap<TemplateStringsArray, readonly (string | Piece)[]>();

/**
 * HTML with everything put into it escaped, except HTML. An address that could run code is left out.
 * @throws Error for a template with an unquoted attribute, inline code, or a value neither between tags nor in quotes
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = '';
  for (const piece of templates.get(strings) ?? compile(strings))
    text += typeof piece === 'string' ? piece : piece(values);
  return new Html(text);
}

function compile(strings: TemplateStringsArray): readonly (string | Piece)[] {
  const source = strings.join(hole);
  const pieces: (string | Piece)[] = [];
  let [at, end, done] = [0, 0, 0];
  for (const { 0: token, index } of source.matchAll(tokens)) {
    end = index + token.length;
    for (const { 0: slot, 1: name, 2: value = hole, index: from } of token.matchAll(slotsOf(token))) {
      if (!value.includes(hole)) continue;
      const parts = value.split(hole);
      pieces.push(source.slice(done, index + from), slotOf(name, parts, at));
      at += parts.length - 1;
      done = index + from + slot.length;
    }
  }
  if (end < source.length) throw new Error(`no HTML of ours: ${source.slice(end, end + 80)}`);
  pieces.push(source.slice(done));
  templates.set(strings, pieces);
  return pieces;
}

function slotsOf(token: string): RegExp {
  if (!token.startsWith('<')) return holes;
  if (!inlineCode.test(token.replaceAll(/"(?!javascript:)[^"]*"/gi, '""'))) return attributes;
  throw new Error(`inline code: ${token}`);
}

function slotOf(name: string | undefined, parts: readonly string[], at: number): Piece {
  if (name === undefined) return (values) => textOf(values[at]);
  const isAddress = addresses.test(name);
  const isWhole = parts.length === 2 && parts.join('') === '';
  return (values) => {
    const only = isWhole ? (values[at] ?? false) : '';
    if (typeof only === 'boolean') return only ? ` ${name}` : '';
    let value = parts[0];
    for (let index = 1; index < parts.length; index++) value += textOf(values[at + index - 1], name) + parts[index];
    return isAddress && !harmless.test(value ?? '') ? '' : ` ${name}="${value}"`;
  };
}

function textOf(value: Value, attribute?: string): string {
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? String(value) : '';
  if (attribute !== undefined) throw new Error(`the attribute ${attribute} holds text`);
  return value instanceof Html ? value.text : value.reduce<string>((text, each) => text + textOf(each), '');
}
