/** What a field or a parameter says that its own schema leaves to its name. */
const words: Readonly<Record<string, string>> = {
  currency: 'Lower-case ISO 4217 code, such as `usd`.',
  has_more: 'Whether older ones follow: send the last id as `before`.',
};

const parameterWords: Readonly<Record<string, string>> = {
  after: 'The `next` of the page before.',
  before: 'Id of the last one of the page before.',
  code: 'The affiliate’s code, in upper or lower case.',
  collection: 'Only those that the platform charges, or that are charged elsewhere.',
  discountCode: 'As the buyer typed it.',
  email: 'Only those of the buyer with this address, in upper or lower case.',
  endpointId: 'Only those of this endpoint or automation.',
  kind: 'Only entries about this.',
  limit: 'How many at most.',
  metric: 'Which number.',
  orderId: 'Only those of this order.',
  productId: 'Only those of this product.',
  renewals: 'Whether the renewals of its subscription go back too.',
  status: 'Only those with this status.',
};

const minorUnits = 'Minor units: 4900 is 49.00.';

interface Described {
  description?: string;
  readonly $ref?: string;
  readonly name?: unknown;
  readonly in?: unknown;
  readonly schema?: Described;
  readonly properties?: Record<string, Described>;
}

/** Says in the whole document what units amounts are in, and what names alone say. Values of examples stay as they are. */
export function describeFields(part: unknown): void {
  if (part === null || typeof part !== 'object') return;
  const { name, in: source, schema, properties } = part as Described;
  if (typeof name === 'string' && source !== undefined && schema?.description === undefined) {
    describe(part as Described, parameterWords[name]);
  }
  for (const [field, its] of Object.entries(typeof properties === 'object' ? properties : {})) {
    if (/cents$/i.test(field)) describeAmount(its);
    else describe(its, words[field]);
  }
  for (const [key, each] of Object.entries(part)) if (key !== 'examples' && key !== 'example') describeFields(each);
}

function describe(field: Described, text: string | undefined): void {
  if (text !== undefined && field.description === undefined && field.$ref === undefined) field.description = text;
}

function describeAmount(field: Described): void {
  const { description } = field;
  if (description === undefined) field.description = minorUnits;
  else if (/minor units/i.test(description)) field.description = `${description} 4900 is 49.00.`;
  else field.description = `${description} ${minorUnits}`;
}
