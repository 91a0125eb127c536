import type { Clock } from '@app/service-kit/clock';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ContentBlock,
  type GetPromptResult,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  type ReadResourceResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { createConfirmations } from '../src/mcp/confirmation.ts';
import type { McpExtension } from '../src/mcp/mcp-server.ts';

/** The smallest picture, and the smallest sound. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';

type Answer = CallToolResult | InputRequiredResult;
type Fixture = (args: Record<string, unknown>, context: ServerContext, states: States) => Answer | Promise<Answer>;

interface States {
  /** Sealed, as the product seals what it asks. */
  mint(state: string): Promise<string>;
}

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const saying = (...content: ContentBlock[]): CallToolResult => ({ content });
const resource = (uri: string, mimeType: string, words: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});

const asking = (message: string, field: string, type: 'string' | 'boolean' = 'string') => {
  const schema = type === 'string' ? { type: 'string' as const } : { type: 'boolean' as const };
  const properties = { [field]: schema };
  return inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: [field] } });
};
const sampling = (words: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens });

const answered = ({ mcpReq }: ServerContext, key: string): boolean =>
  inputResponse(mcpReq.inputResponses, key).kind !== 'missing';
const declared = ({ mcpReq }: ServerContext): ClientCapabilities =>
  ((mcpReq.envelope ?? {}) as { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities })[
    CLIENT_CAPABILITIES_META_KEY
  ] ?? {};

/** Asks, and once every key is answered says so. */
const round =
  (inputRequests: InputRequests): Fixture =>
  (_, context) => {
    const isComplete = Object.keys(inputRequests).every((key) => answered(context, key));
    return isComplete
      ? saying(text(`Hello, ${JSON.stringify(context.mcpReq.inputResponses)}!`))
      : inputRequired({ inputRequests });
  };

/** The same with a state, which comes back. */
const sealedRound =
  (inputRequests: InputRequests): Fixture =>
  async (_, context, states) => {
    const isComplete = Object.keys(inputRequests).every((key) => answered(context, key));
    if (isComplete && context.mcpReq.requestState() !== undefined) return saying(text('state-ok'));
    return inputRequired({ inputRequests, requestState: await states.mint('asked') });
  };

const name = asking('What is your name?', 'name');
const confirm = asking('Please confirm', 'ok', 'boolean');

const tools: Readonly<Record<string, Fixture>> = {
  test_simple_text: () => saying(text('This is a simple text response for testing.')),
  test_image_content: () => saying({ type: 'image', data: png, mimeType: 'image/png' }),
  test_audio_content: () => saying({ type: 'audio', data: wav, mimeType: 'audio/wav' }),
  test_embedded_resource: () =>
    saying(resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  test_multiple_content_types: () =>
    saying(
      text('Multiple content types test:'),
      { type: 'image', data: png, mimeType: 'image/png' },
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  test_error_handling: () => ({
    isError: true,
    ...saying(text('This tool intentionally returns an error for testing')),
  }),
  test_tool_with_progress: async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100])
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: progressToken as string, progress, total: 100 },
      });
    return saying(text('Progressed.'));
  },
  test_tool_with_logging: async (_, { mcpReq }) => {
    for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
      await mcpReq.log('info', words);
    return saying(text('Logged.'));
  },
  test_logging_tool: async (_, { mcpReq }) => {
    await mcpReq.log('info', 'Only for those who asked for it');
    return saying(text('Logged.'));
  },
  test_missing_capability: (_, context) => {
    if (declared(context).sampling !== undefined) return saying(text('Sampling is declared.'));
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  },
  test_streaming_elicitation: round({ user_name: name }),
  test_input_required_result_elicitation: round({ user_name: name }),
  test_input_required_result_sampling: round({ capital_question: sampling('What is the capital of France?', 100) }),
  test_input_required_result_list_roots: round({ client_roots: inputRequired.listRoots() }),
  test_input_required_result_request_state: sealedRound({ confirm }),
  test_input_required_result_tampered_state: sealedRound({ confirm }),
  test_input_required_result_multiple_inputs: sealedRound({
    user_name: name,
    greeting: sampling('Generate a greeting', 50),
    client_roots: inputRequired.listRoots(),
  }),
  test_input_required_result_multi_round: async (_, context, states) => {
    if (answered(context, 'step2')) return saying(text('Both steps are done.'));
    const [step, question] = answered(context, 'step1')
      ? (['step2', asking('Step 2: What is your favorite color?', 'color')] as const)
      : (['step1', asking('Step 1: What is your name?', 'name')] as const);
    return inputRequired({ inputRequests: { [step]: question }, requestState: await states.mint(step) });
  },
  test_input_required_result_capabilities: (_, context) => {
    const { elicitation, sampling: samples } = declared(context);
    const inputRequests = {
      ...(elicitation && { user_name: name }),
      ...(samples && { capital_question: sampling('What is the capital of France?', 100) }),
    };
    return inputRequired({ inputRequests });
  },
};

type Prompt = (args: Record<string, string>, context: ServerContext) => GetPromptResult | InputRequiredResult;
const prompting = (...content: ContentBlock[]): GetPromptResult => ({
  messages: content.map((one) => ({ role: 'user', content: one })),
});

const prompts: Readonly<Record<string, { readonly args: readonly string[]; readonly get: Prompt }>> = {
  test_simple_prompt: { args: [], get: () => prompting(text('This is a simple prompt for testing.')) },
  test_prompt_with_arguments: {
    args: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => prompting(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  test_prompt_with_embedded_resource: {
    args: ['resourceUri'],
    get: ({ resourceUri = '' }) =>
      prompting(
        resource(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  },
  test_prompt_with_image: {
    args: [],
    get: () => prompting({ type: 'image', data: png, mimeType: 'image/png' }, text('Please analyze the image above.')),
  },
  test_input_required_result_prompt: {
    args: [],
    get: (_, context) =>
      answered(context, 'user_context')
        ? prompting(text('With the context.'))
        : inputRequired({
            inputRequests: { user_context: asking('What context should the prompt use?', 'context') },
          }),
  },
};

const resources: Readonly<Record<string, { readonly mimeType: string } & ({ text: string } | { blob: string })>> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: png },
};

function readFixture(uri: string): ReadResourceResult | undefined {
  const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? [];
  if (id !== undefined) {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }] };
  }
  const found = resources[uri];
  return found && { contents: [{ uri, ...found }] };
}

/**
 * What the protocol's conformance suite calls, beside the product's own: no product has such tools, and without them most of the suite
 * would prove nothing of the transport.
 * @param secret of the gateway, which checks the states that come back
 */
export function conformanceFixtures(clock: Clock, secret: string): McpExtension {
  const { codec } = createConfirmations(clock, secret);
  const states: States = { mint: (call) => codec.mint({ call, id: call, cents: null, content: '' }) };
  return {
    capabilities: { completions: {}, logging: {}, resources: { subscribe: true } },
    handlers: (product) => ({
      ...product,
      'tools/list': async (request, context) => {
        const own = await product['tools/list']?.(request, context);
        const definitions = Object.keys(tools).map((tool) => ({
          ...{ name: tool, description: 'Of the conformance suite.' },
          inputSchema: { type: 'object' as const },
        }));
        return { ...own, tools: [...(own?.tools ?? []), ...definitions] };
      },
      'tools/call': async (request, context) => {
        const { name: tool, arguments: args = {} } = request.params;
        const fixture = tools[tool];
        if (fixture !== undefined) return await fixture(args, context, states);
        return (await product['tools/call']?.(request, context)) as CallToolResult;
      },
      'resources/list': async (request, context) => {
        const own = await product['resources/list']?.(request, context);
        const fixtures = Object.entries(resources).map(([uri, { mimeType }]) => ({
          ...{ uri, mimeType, name: uri, description: 'Of the conformance suite.' },
        }));
        return { ...own, resources: [...(own?.resources ?? []), ...fixtures] };
      },
      'resources/templates/list': async (request, context) => {
        const own = await product['resources/templates/list']?.(request, context);
        const template = { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'Of the suite.' };
        return { ...own, resourceTemplates: [...(own?.resourceTemplates ?? []), template] };
      },
      'resources/read': async (request, context) =>
        readFixture(request.params.uri) ??
        ((await product['resources/read']?.(request, context)) as ReadResourceResult),
      'resources/subscribe': () => ({}),
      'resources/unsubscribe': () => ({}),
      'prompts/list': async (request, context) => {
        const own = await product['prompts/list']?.(request, context);
        const fixtures = Object.entries(prompts).map(([prompt, { args }]) => ({
          ...{ name: prompt, description: 'Of the conformance suite.' },
          arguments: args.map((argument) => ({ name: argument, required: true })),
        }));
        return { ...own, prompts: [...(own?.prompts ?? []), ...fixtures] };
      },
      'prompts/get': async (request, context) => {
        const fixture = prompts[request.params.name];
        if (fixture !== undefined) return fixture.get(request.params.arguments ?? {}, context);
        return (await product['prompts/get']?.(request, context)) as GetPromptResult;
      },
      'completion/complete': () => ({ completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } }),
    }),
  };
}
