import { dirname, join, normalize } from 'node:path';

const folders = 'services|libs|docs|e2e|bench|test|deploy|k8s';
const extensions = 'ts|js|mjs|cjs|json|ya?ml|md|sql|css|html|sh|png|conf';
/** With one of our extensions, in one of our folders, or a folder with a slash at its end. */
const pathLike = new RegExp(
  String.raw`^(\.{0,2}/)?([\w.@{},*-]+/)*[\w.{},*-]*[\w}*]\.(${extensions})$|^(${folders})/[\w./{},*-]+$|^[\w-]+(/[\w.-]+)*/$`,
);

const pathInText = new RegExp(
  String.raw`(?<![\w.*{}/:@-])(?:(?:[\w.-]+/)*[\w.-]*\w\.(?:ts|md|sql|ya?ml)\b(?!/)|(?:${folders})/[\w./-]*\w|\d{4}-[a-z][\w-]*)`,
  'g',
);

/** A Markdown text without its fenced blocks. */
const withoutFences = (markdown: string): string => markdown.replace(/^( *)```[\s\S]*?^\1```/gm, '');

/** What a Markdown text names in backticks that looks like a path of a repository, outside fenced blocks. */
export function namedPaths(markdown: string): string[] {
  const spans = [...withoutFences(markdown).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return [...new Set(spans.flatMap((span) => span.split(/[\s=()'",;:]+/)))].filter((word) => pathLike.test(word));
}

/**
 * What the comments of a source file name that looks like a path of the repository, and what looks like a migration. Other
 * programs have names like ours with other extensions, so of files outside our folders these few are meant.
 */
export function pathsInComments(source: string): string[] {
  const comments = [...source.matchAll(/^\s*(?:\/\*|\*|\/\/|--).*$|\s\/\/ .*$/gm)].map(([comment]) => comment);
  return [...new Set(comments.flatMap((comment) => comment.match(pathInText) ?? []))];
}

/** Where the links of a Markdown text lead within the repository, from its root, with `#` and the heading where they name one. */
export function linkedPaths(file: string, markdown: string): string[] {
  const links = [...withoutFences(markdown).matchAll(/\]\(([^)\s]+)\)|\b(?:src|href)="([^"]+)"/g)];
  const targets = links.map(([, link, attribute]) => link ?? attribute ?? '').filter((to) => !/^(\w+:|\/)/.test(to));
  return targets.map((to) => (to.startsWith('#') ? `${file}${to}` : normalize(join(dirname(file), to))));
}

/** The anchors of a Markdown text's headings, as GitHub makes them. */
export function anchorsOf(markdown: string): string[] {
  const headings = [...withoutFences(markdown).matchAll(/^#+ +(.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
