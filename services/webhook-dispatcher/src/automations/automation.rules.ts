import type { AutomationAction } from '@app/contracts/automations';
import { fieldsOf, hasBuyer, hasProduct, type TriggerName } from '@app/contracts/triggers';
import { invalidField } from '@app/contracts/validation';
import type { BuiltIn } from './built-in.rules.ts';
import { templateProblem } from './template.rules.ts';

/** What an automation is to do, and when. */
export interface Wanted {
  readonly event: TriggerName;
  readonly productId: string | null;
  readonly action: AutomationAction;
}

/**
 * Checks what no schema can say: it depends on the event. The URL of a POST is checked elsewhere.
 * @throws DomainError validation_failed, naming the field
 */
export function requireUsable({ event, productId, action }: Wanted): void {
  if (productId !== null && !hasProduct(event))
    throw invalidField('productId', `must be null: ${event} has no product`);
  if (action.type === 'email') requireUsableEmail(event, action);
}

/** @throws DomainError validation_failed, naming the field */
export function requireUsableEmail(event: TriggerName, action: Extract<AutomationAction, { type: 'email' }>): void {
  if (action.to === 'buyer' && !hasBuyer(event))
    throw invalidField('action.to', `must be seller: ${event} has no buyer`);
  const fields = fieldsOf(event, action.to);
  for (const part of ['subject', 'body'] as const) {
    const problem = templateProblem(action[part], fields);
    if (problem !== undefined) throw invalidField(`action.${part}`, problem);
  }
}

/** What an update says, without what it leaves out. */
export interface Change {
  readonly name?: string | undefined;
  readonly productId?: string | null | undefined;
  readonly action?: AutomationAction | undefined;
}

/**
 * An automation keeps sending emails, or keeps sending POSTs. A built-in one keeps its name, its product and its recipient.
 * @throws DomainError validation_failed, naming the field
 */
export function requireAllowed(change: Change, before: AutomationAction, builtIn: BuiltIn | undefined): void {
  const { action } = change;
  if (action !== undefined && action.type !== before.type)
    throw invalidField('action.type', `must stay ${before.type}: create another automation`);
  if (builtIn === undefined) return;
  if (change.name !== undefined) throw invalidField('name', 'cannot be changed: the automation is built in');
  if (change.productId !== undefined) throw invalidField('productId', 'cannot be changed: the automation is built in');
  if (action?.type === 'email' && action.to !== builtIn.action.to)
    throw invalidField('action.to', `must stay ${builtIn.action.to}: the automation is built in`);
}
