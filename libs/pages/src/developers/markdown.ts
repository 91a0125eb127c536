import { placeholderUrl } from './placeholder-url.ts';

interface Element {
  readonly tag: string;
  readonly attributes: string;
  readonly children: (Element | string)[];
}

const pieces = /<(\/?)([a-z][a-z0-9]*)([^>]*)>|([^<]+)/g;

/** The tree of HTML that `html` made: every element is closed. */
function parse(source: string): Element {
  const root: Element = { tag: 'main', attributes: '', children: [] };
  const open = [root];
  for (const [, closes, tag, attributes = '', text] of source.matchAll(pieces)) {
    const parent = open.at(-1) ?? root;
    if (text !== undefined) parent.children.push(text);
    else if (closes === '/') open.pop();
    else if (tag !== undefined) {
      const element: Element = { tag, attributes, children: [] };
      parent.children.push(element);
      open.push(element);
    }
  }
  return root;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const unescaped = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name] ?? '');

/** Languages of samples, by the labels that pages give them. */
const languages: Readonly<Record<string, string>> = { Shell: 'sh', Answer: 'json', Payload: 'json' };
const languageOf = (label: string): string =>
  languages[label] ?? /^(TypeScript|Python|PHP|Ruby|Go)$/.exec(label)?.[0].toLowerCase() ?? '';

const textOf = (node: Element | string): string =>
  typeof node === 'string' ? unescaped(node) : node.children.map(textOf).join('');

/** Of this deployment's pages their Markdown. */
function addressOf(attributes: string): string {
  const href = unescaped(/\shref="([^"]*)"/.exec(attributes)?.[1] ?? '');
  if (!href.startsWith('/')) return href;
  const [path = '', anchor] = href.split('#');
  const isPage = path.startsWith('/developers') && !/\.\w+$/.test(path);
  return `${placeholderUrl}${path}${isPage ? '.md' : ''}${anchor === undefined ? '' : `#${anchor}`}`;
}

function inline(node: Element | string): string {
  if (typeof node === 'string') return unescaped(node).replaceAll(/\s+/g, ' ');
  const inner = node.children.map(inline).join('');
  switch (node.tag) {
    case 'code':
      return `\`${textOf(node)}\``;
    case 'a':
      return `[${inner}](${addressOf(node.attributes)})`;
    case 'strong':
      return `**${inner}**`;
    default:
      return inner;
  }
}

const indented = (text: string): string => text.replaceAll(/\n(?!\n|$)/g, '\n  ');
const elementsOf = ({ children }: Element): Element[] => children.filter((child) => typeof child !== 'string');

/** Blocks with an empty line after each. */
const blocksOf = (element: Element): string => elementsOf(element).map(block).join('');

function block(element: Element): string {
  const { tag } = element;
  const level = /^h([1-4])$/.exec(tag)?.[1];
  if (level !== undefined) return `${'#'.repeat(Number(level))} ${inline(element).trim()}\n\n`;
  switch (tag) {
    case 'p':
      return `${inline(element).trim()}\n\n`;
    case 'ul':
    case 'ol':
      return `${elementsOf(element).map(item).join('')}\n`;
    case 'dl':
      return `${elementsOf(element).map(definition).join('')}\n`;
    case 'figure':
      return sample(element);
    default:
      return blocksOf(element);
  }
}

/** An entry of a list holds text alone or blocks alone. */
function item(element: Element): string {
  const hasBlocks = elementsOf(element).some(({ tag }) => /^(p|ul|ol|dl|figure)$/.test(tag));
  return `- ${indented(hasBlocks ? blocksOf(element).trim() : inline(element).trim())}\n`;
}

function definition(element: Element): string {
  const [term, meaning] = elementsOf(element);
  if (term === undefined || meaning === undefined) return '';
  const hasBlocks = elementsOf(meaning).some(({ tag }) => /^(p|ul|ol|dl|figure)$/.test(tag));
  const text = hasBlocks ? blocksOf(meaning).trim() : inline(meaning).trim();
  const rest = text === '' ? '' : text.startsWith('- ') ? `\n${text}` : `: ${text}`;
  return `- ${inline(term).trim()}${indented(rest)}\n`;
}

function sample(element: Element): string {
  const [caption, pre] = elementsOf(element);
  const label = caption === undefined ? '' : textOf(caption);
  const language = languageOf(label);
  const said = language === '' && label !== '' ? `${label}:\n\n` : '';
  return `${said}\`\`\`${language}\n${pre === undefined ? '' : textOf(pre).trim()}\n\`\`\`\n\n`;
}

/** Markdown of what `html` made for a developer page. */
export function markdownOf(source: string): string {
  return `${block(parse(source)).trim()}\n`;
}
