import { invalidField } from '@app/contracts/validation';
import { formatAmount } from '@app/money/format';
import type { PreviewedCall } from './previews/preview.ts';
import { annotations, operation, type Tool } from './tool.ts';

type Read = PreviewedCall['read'];
type Arguments = Record<string, unknown>;

const namesMax = 20;

/** `product`, by name, slug or id, as the `productId` that the operation takes: nobody knows a product by its id. */
export async function findProduct(given: Arguments, read: Read): Promise<{ readonly given: Arguments }> {
  const { product, ...rest } = given;
  if (product === undefined) return { given: rest };
  if (typeof product !== 'string') throw invalidField('product', 'must be a string', 'wrong_type');
  if (rest.productId !== undefined) throw invalidField('product', 'cannot be given together with productId');
  const { data } = await read('listProducts');
  const wanted = product.trim().toLowerCase();
  const exact = data.filter(({ id, slug, name }) => [id, slug, name.toLowerCase()].includes(wanted));
  const found = exact.length > 0 ? exact : data.filter(({ name }) => name.toLowerCase().includes(wanted));
  const [one, ...others] = found;
  if (one !== undefined && others.length === 0) return { given: { ...rest, productId: one.id } };
  const names = (found.length === 0 ? data : found).slice(0, namesMax).map(({ name, slug }) => `${name} (${slug})`);
  throw invalidField('product', `must be one of: ${names.join(', ')}`, 'unknown_value');
}

const partOfPayment: Tool = {
  name: 'refund_order',
  description: '',
  operation: operation('refundPayment'),
  annotations: annotations.givesBack,
};

/** A part of an order goes back of one payment: that of the order, where it has one with enough left. */
export async function refundPart(
  given: Arguments,
  read: Read,
): Promise<{ readonly given: Arguments; readonly tool?: Tool }> {
  const { orderId, amountCents, paymentId, renewals, ...rest } = given;
  if (amountCents === undefined && paymentId === undefined) return { given };
  if (renewals === true) throw invalidField('renewals', 'must be left out where a part is refunded');
  const part = { ...rest, ...(amountCents !== undefined && { amountCents }) };
  const { charges } = await read('previewRefund', { orderId }, { renewals: true });
  const left = charges.map((charge) => ({ ...charge, leftCents: charge.amountCents - charge.refundedCents }));
  const own = left.filter(({ renewal, leftCents }) => !renewal && leftCents > 0);
  const fitting = paymentId === undefined ? own : left.filter((charge) => charge.paymentId === paymentId);
  const [one, ...others] = fitting;
  if (one !== undefined && others.length === 0)
    return { given: { ...part, paymentId: one.paymentId }, tool: partOfPayment };
  if (left.length === 0) throw invalidField('amountCents', 'must be left out: the order has no payment to give back');
  const names = left.map(
    ({ paymentId: id, leftCents, currency }) => `${id} (${formatAmount(leftCents, currency)} left)`,
  );
  throw invalidField('paymentId', `must be one of: ${names.join(', ')}`, 'required');
}
