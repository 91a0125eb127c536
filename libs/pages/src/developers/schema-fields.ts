import { type Html, html } from '../html.ts';
import { joined, withCode } from '../text.ts';
import { type ApiDescription, referredTo, type Schema, schemaOf } from './api-description.ts';

/** Words for the formats that our schemas name. */
const formats: Readonly<Record<string, string>> = {
  'date-time': 'time, ISO 8601 in UTC',
  date: 'date, YYYY-MM-DD',
  email: 'email address',
  uri: 'http or https URL',
  uuid: 'UUID',
};

/** Ids have a prefix, a time and chance: `^ord_[0-7][0-9a-hjkmnp-tv-z]{25}$`. */
const idPattern = /^\^([a-z]+_)\[0-7\]/;

/** The prefix of the ids that a schema takes. */
export const idPrefixOf = ({ pattern = '' }: Schema): string | undefined => idPattern.exec(pattern)?.[1];

const isNull = (schema: Schema): boolean => schema.type === 'null';
const choicesOf = ({ anyOf, oneOf }: Schema): readonly Schema[] | undefined => oneOf ?? anyOf;
const codeOf = (value: unknown): Html => html`<code>${JSON.stringify(value)}</code>`;

/** What a value is, with its bounds: “integer, 1 to 100”. Objects that have a name lead to their description on the page. */
export function typeOf(schema: Schema): Html {
  const name = referredTo(schema);
  if (name !== undefined) return html`<a href="#${name}">${name}</a>`;
  if (schema.const !== undefined) return codeOf(schema.const);
  if (schema.enum !== undefined) return html`one of ${joined(schema.enum.map(codeOf), ', ')}`;
  const choices = choicesOf(schema);
  if (choices !== undefined) return joined(choices.map(typeOf), ' or ');
  const types = [schema.type ?? 'any value'].flat();
  return joined(
    types.map((type) => (type === 'null' ? html`<code>null</code>` : plainTypeOf(type, schema))),
    ' or ',
  );
}

function plainTypeOf(type: string, schema: Schema): Html {
  switch (type) {
    case 'array':
      return html`list of ${schema.items === undefined ? 'values' : typeOf(schema.items)}${boundsOf('entries', schema.minItems, schema.maxItems)}`;
    case 'object': {
      const { additionalProperties: values, properties } = schema;
      return typeof values === 'object' && properties === undefined
        ? html`object of ${typeOf(values)} by name`
        : html`object`;
    }
    case 'string':
      return html`${stringOf(schema)}${boundsOf('characters', schema.minLength, schema.maxLength)}`;
    case 'integer':
    case 'number':
      return html`${type}${boundsOf('', schema.minimum, schema.maximum)}${schema.multipleOf !== undefined && `, in steps of ${schema.multipleOf}`}`;
    default:
      return html`${type}`;
  }
}

function stringOf(schema: Schema): Html {
  const prefix = idPrefixOf(schema);
  if (prefix !== undefined) return html`id, <code>${prefix}…</code>`;
  const { format, contentEncoding, pattern } = schema;
  if (contentEncoding !== undefined)
    return html`string in ${contentEncoding === 'base64' ? 'Base64' : contentEncoding}`;
  if (format !== undefined) return html`${formats[format] ?? `string, ${format}`}`;
  return pattern === undefined ? html`string` : html`string like <code>${pattern}</code>`;
}

function boundsOf(unit: string, least: number | undefined, most: number | undefined): string {
  const of = unit === '' ? '' : ` ${unit}`;
  if (least !== undefined && most !== undefined)
    return least === most ? `, ${most}${of}` : `, ${least} to ${most}${of}`;
  if (most !== undefined) return `, at most ${most}${of}`;
  return least === undefined ? '' : `, at least ${least}${of}`;
}

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly description?: string | undefined;
}

/** Whether callers send it, and must know what they may leave out, or get it, and must know what may be absent. */
export type Direction = 'sent' | 'got';

/** A list of fields, each with its type and bounds; what is in an object without a name of its own follows it. */
export function fieldList(fields: readonly Field[], api: ApiDescription, direction: Direction): Html {
  return html`<dl class="fields">
${fields.map((field) => fieldEntry(field, api, direction))}
</dl>`;
}

function fieldEntry({ name, schema, required, description }: Field, api: ApiDescription, direction: Direction): Html {
  const text = description ?? schema.description;
  const inner = innerOf(schema);
  return html`<div><dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${direction === 'sent' && required && html` <span class="must">required</span>`}${direction === 'got' && !required && html` <span class="type">may be absent</span>`}</dt>
<dd>${text !== undefined && html`<p>${withCode(text)}</p>`}${schema.default !== undefined && html`<p>Left out: ${codeOf(schema.default)}.</p>`}${inner.map((each) => shapeOf(each, api, direction))}</dd></div>
`;
}

/** The objects within it that have no name of their own. */
function innerOf(schema: Schema): Schema[] {
  if (schema.$ref !== undefined) return [];
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices.flatMap(innerOf);
  const { items, additionalProperties: values } = schema;
  const own = schema.properties === undefined ? [] : [schema];
  return [...own, ...(items ? innerOf(items) : []), ...(typeof values === 'object' ? innerOf(values) : [])];
}

/** The fields of an object or, where there is a choice of several, of each. */
export function shapeOf(schema: Schema, api: ApiDescription, direction: Direction): Html {
  const shape = schemaOf(schema, api);
  const choices = choicesOf(shape)?.filter((each) => !isNull(each));
  if (choices !== undefined)
    return html`${choices.map((each, index) => html`<p>${index === 0 ? 'Either' : 'Or'}${each.$ref !== undefined && html` ${typeOf(each)}`}:</p>${each.$ref === undefined && shapeOf(each, api, direction)}`)}`;
  const { properties, required = [], type } = shape;
  if (properties === undefined)
    return type === 'object' && shape.additionalProperties === undefined ? html`` : html`<p>${typeOf(shape)}</p>`;
  const fields = Object.entries(properties).map(
    ([name, property]): Field => ({ name, schema: property, required: required.includes(name) }),
  );
  return fields.length === 0 ? html`<p>No fields.</p>` : fieldList(fields, api, direction);
}

/** The names of all objects that these schemas lead to, themselves included, in the order in which they are met. */
export function namedWithin(schemas: readonly Schema[], api: ApiDescription): string[] {
  const names = new Set<string>();
  const visit = (schema: Schema): void => {
    const name = referredTo(schema);
    if (name !== undefined) {
      if (names.has(name)) return;
      names.add(name);
      visit(schemaOf(schema, api));
      return;
    }
    const { items, additionalProperties: values, properties = {} } = schema;
    const parts = [...Object.values(properties), ...(choicesOf(schema) ?? []), ...(schema.allOf ?? [])];
    for (const part of [...parts, items, values]) if (typeof part === 'object') visit(part);
  };
  for (const schema of schemas) visit(schema);
  return [...names];
}
