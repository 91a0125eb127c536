import { type Html, html } from '../html.ts';
import { withCode } from '../text.ts';
import { code, type DeveloperPage, definitions } from './layout.ts';
import { placeholderUrl } from './placeholder-url.ts';
import * as samples from './samples.ts';

/** What the page says of an MCP tool. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly operation: { readonly scope?: string };
}

const use = html`<p>It is a Model Context Protocol server over Streamable HTTP: revision 2026-07-28, and clients of 2025 that open with <code>initialize</code>.
The key goes into a fixed header.</p>
${samples.mcpClients.map(([label, text]) => code(label, text))}
<p>By hand, for a look at what a client gets:</p>
${code('Shell', samples.mcpRequest)}
<p>What no tool of the list does, <code>find</code> finds, and <code>read</code> or <code>write</code> calls: every operation that the
key may call, except those that show or take a key.</p>
<p>A key shows a client just the tools that its scopes allow: give a model a key with <code>read</code> and it can change
nothing. A model reads at most 20 KB of an answer: longer ones have their texts and lists cut, and say so; with
<code>full: true</code> a tool gives the whole.</p>
<p>What moves money, deletes, or sends buyers’ data somewhere is not done by the first call: it answers
<code>confirmation_required</code> with who, what, how much and where to, and <code>confirm: true</code> does it within 15 minutes.
A first call that brings <code>confirm: true</code> and the amount as <code>expectedCents</code> is done at once, and another amount is
<a href="/developers/errors#amount_changed">refused</a>. A client that declares elicitation shows its user the question. No tool shows a
signing secret. Refusals come back as results with <code>isError</code> and the <a href="/developers/errors">codes</a> of this
interface.</p>`;

const toolList = (tools: readonly ListedTool[]): Html =>
  definitions(
    tools.map(({ name, operation: { scope }, description }) => [
      html`<code>${name}</code>${scope !== undefined && html` <span class="type">${scope}</span>`}`,
      withCode(description),
    ]),
  );

/** How AI models reach the account. */
export function mcpPage(tools: readonly ListedTool[]): DeveloperPage {
  return {
    path: '/developers/mcp',
    title: 'MCP',
    description:
      'How AI models reach the account: the address, the key, the tools, and what they ask before they do it.',
    lead: html`<p class="lead">AI models reach the same account at <code>POST ${placeholderUrl}/api/mcp</code>.</p>`,
    sections: [
      { id: 'use', title: 'Connect a client', content: use },
      { id: 'tools', title: 'Tools', content: toolList(tools) },
    ],
    kind: 'guide',
  };
}
