import type { Schema } from '@app/pages/developers/api-description';
import { referredTo } from '@app/pages/developers/api-description';

/** A comment that no description ends. */
export function comment(text: string | undefined, indent: string): string {
  if (text === undefined || text === '') return '';
  const lines = text.replaceAll('*/', '* /').split(/\n+/);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');
const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** TypeScript's type of what the schema describes. */
export function typeText(schema: Schema, indent = ''): string {
  const name = referredTo(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return union(choices.map((choice) => typeText(choice, indent)));
  if (schema.type === undefined) return schema.properties === undefined ? 'unknown' : objectText(schema, indent);
  return union([schema.type].flat().map((type) => plainText(type, schema, indent)));
}

function plainText(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array': {
      const item = schema.items === undefined ? 'unknown' : typeText(schema.items, indent);
      return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return objectText(schema, indent);
    default:
      return type;
  }
}

/** An object's fields, a line each. */
export function objectText({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  if (properties === undefined)
    return `Record<string, ${typeof additionalProperties === 'object' ? typeText(additionalProperties, indent) : 'unknown'}>`;
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const type = typeText(property, inner);
    const isRequired = required.includes(name);
    return `${comment(property.description, inner)}${inner}${nameOf(name)}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}
