import { invalidField } from '@app/contracts/validation';

/** Where a page of the preview begins: after this id of this kind. '' is the first. */
export type Cursor =
  | { readonly kind: 'look_up' | 'settlement' | 'cancellation'; readonly id: string }
  | { readonly kind: 'charge'; readonly id: string; readonly dueAt: Date | null }
  | { readonly kind: 'end' };

/** The beginning of the kind that follows, in the order in which a run does them. */
export function firstCursor(after: Cursor['kind']): Cursor {
  if (after === 'look_up') return { kind: 'settlement', id: '' };
  if (after === 'settlement') return { kind: 'charge', id: '', dueAt: null };
  return after === 'charge' ? { kind: 'cancellation', id: '' } : { kind: 'end' };
}

const idPattern = /^[A-Za-z0-9_]{0,64}$/;

/** @throws DomainError validation_failed for what no page gave */
export function cursorOf(after: string | undefined): Cursor {
  if (after === undefined) return { kind: 'look_up', id: '' };
  if (after === 'end') return { kind: 'end' };
  const [kind, id = '', at = '', more] = after.split('.');
  const dueAt = at === '' ? null : new Date(Number(at));
  const valid = more === undefined && idPattern.test(id) && (dueAt === null || !Number.isNaN(dueAt.getTime()));
  if (valid && dueAt === null && (kind === 'look_up' || kind === 'settlement' || kind === 'cancellation'))
    return { kind, id };
  if (valid && kind === 'charge' && (dueAt === null) === (id === '')) return { kind, id, dueAt };
  throw invalidField('after', 'must be the `next` of an earlier page');
}

/** Null at the end. */
export function writeCursor(cursor: Cursor): string | null {
  if (cursor.kind === 'end') return null;
  const at = cursor.kind === 'charge' && cursor.dueAt !== null ? `.${cursor.dueAt.getTime()}` : '';
  return `${cursor.kind}.${cursor.id}${at}`;
}
