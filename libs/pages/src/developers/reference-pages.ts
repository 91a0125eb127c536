import { type Html, html } from '../html.ts';
import { withCode } from '../text.ts';
import { eventId, eventPath, eventsPath, operationPath, partPath, referencePath } from './addresses.ts';
import {
  type ApiDescription,
  type Endpoint,
  endpointsOf,
  exampleOf,
  parametersOf,
  type Schema,
  schemaOf,
  successOf,
} from './api-description.ts';
import { code, type DeveloperPage, definitions, type Section } from './layout.ts';
import { addressOf, operationSection } from './operation-section.ts';
import { fieldList, namedWithin, shapeOf } from './schema-fields.ts';

/** The reference: a list of all operations, a page for each part of the API, and one of all events. */
export function referencePages(api: ApiDescription): DeveloperPage[] {
  const byTag = [...Map.groupBy(endpointsOf(api), ({ tags: [tag = ''] }) => tag)];
  const described = new Map(api.tags.map(({ name, description }) => [name, description]));
  return [
    indexPage(api, byTag),
    ...byTag.map(([tag, endpoints]) => partPage(tag, described.get(tag) ?? '', endpoints, api)),
    eventsPage(api),
  ];
}

function indexPage(api: ApiDescription, byTag: readonly (readonly [string, readonly Endpoint[]])[]): DeveloperPage {
  const parts = byTag.map(
    ([tag, endpoints]): Section => ({
      id: `${partPath(tag).slice(referencePath.length + 1)}-operations`,
      title: tag,
      content: html`<ul class="operations">
${endpoints.map(entryOf)}</ul>`,
    }),
  );
  const events: Section = {
    id: 'events',
    title: 'Events',
    content: definitions(
      Object.entries(api.webhooks).map(([name, { post }]) => [
        html`<a href="${eventPath(name)}"><code>${name}</code></a>`,
        withCode(post.summary),
      ]),
    ),
  };
  return {
    path: referencePath,
    title: 'Reference',
    description: 'Every operation of the API and every event, with fields, bounds, examples, answers and errors.',
    lead: html`<p class="lead">Every operation: its fields, bounds, answer, errors, and a request for a shell. It is made of the
operations of this version, as <a href="/developers/openapi.json">openapi.json</a> is. A logged-in session may do all that a key may.</p>`,
    sections: [...parts, events],
    kind: 'guide',
  };
}

function entryOf(endpoint: Endpoint): Html {
  return html`<li id="${endpoint.operationId}"><a href="${operationPath(endpoint)}">${withCode(endpoint.summary)}</a> ${addressOf(endpoint)}</li>
`;
}

function partPage(tag: string, about: string, endpoints: readonly Endpoint[], api: ApiDescription): DeveloperPage {
  return {
    path: partPath(tag),
    title: `${tag}: reference`,
    description: `${tag}: fields, bounds, examples, answers and errors of every operation.`,
    lead: html`<p class="lead">${about}</p>`,
    sections: [
      ...endpoints.map((endpoint) => operationSection(endpoint, api)),
      ...objectsOf(endpoints, api).map((name) => objectSection(name, api)),
    ],
    kind: 'list',
  };
}

/** Named objects that the page links: those of answers, and those within bodies, whose own fields are listed where they are sent. */
function objectsOf(endpoints: readonly Endpoint[], api: ApiDescription): string[] {
  const answers = endpoints.flatMap((endpoint) => successOf(endpoint, api)?.schema ?? []);
  const sent = endpoints.flatMap(({ requestBody }) => {
    const body = requestBody?.content['application/json'];
    return body === undefined ? [] : [schemaOf(body.schema, api)];
  });
  const parameters = endpoints.flatMap((endpoint) =>
    (['path', 'query'] as const).flatMap((place) => parametersOf(endpoint, api, place)),
  );
  const schemas: Schema[] = [...answers, ...sent, ...parameters.map(({ schema }) => schema)];
  return namedWithin(schemas, api).toSorted();
}

function objectSection(name: string, api: ApiDescription): Section {
  const schema = schemaOf({ $ref: `#/components/schemas/${name}` }, api);
  return {
    id: name,
    title: name,
    content: html`${schema.description !== undefined && html`<p>${withCode(schema.description)}</p>`}
${shapeOf(schema, api, 'got')}`,
  };
}

function eventsPage(api: ApiDescription): DeveloperPage {
  const sections = Object.entries(api.webhooks).map(([name, { post }]): Section => {
    const body = post.requestBody?.content['application/json'];
    return {
      id: eventId(name),
      title: name,
      content: html`<p>${withCode(post.summary)}.</p>
${body !== undefined && shapeOf(body.schema, api, 'got')}
${code('Payload', JSON.stringify(exampleOf(body), null, 2))}`,
    };
  });
  const [first] = Object.values(api.webhooks);
  const headers = first === undefined ? [] : parametersOf(first.post, api, 'header');
  const fields = headers.map(({ name, schema, required = false, description }) => ({
    ...{ name, schema, required },
    description: description ?? schema.description,
  }));
  return {
    path: eventsPath,
    title: 'Events: reference',
    description: 'Every event that is sent to a webhook URL: when it fires, its fields, and a whole payload.',
    lead: html`<p class="lead">What is sent to the URLs that are connected: when, and the whole payload. <a href="/developers/webhooks">Webhooks</a>
says how to receive and check them. Payloads may gain fields, and events may be added: ignore what you do not know.</p>`,
    sections: [
      { id: 'headers', title: 'Headers of every delivery', content: fieldList(fields, api, 'got') },
      ...sections,
    ],
    kind: 'list',
  };
}
