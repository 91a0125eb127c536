import { z } from 'zod';
import {
  emailAddress,
  isOneLine,
  limits,
  listOf,
  okResult,
  oneLineRule,
  pageQueryOf,
  rawText,
  receiverUrl,
  secretNotice,
  text,
  timestamp,
} from './common.ts';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { deliveryResource } from './webhook-deliveries.ts';
import { deliveredEventName, rotateWebhookSecretBody, signingSecrets, webhookEventName } from './webhooks.ts';

/**
 * A control character is six bytes in JSON: with them 100 automations would be no message of 8 MiB. Without them a
 * character is three at most, and 100 automations with 20,480 each are 6.3 MB.
 */
const isLines = (value: string): boolean => /^[\P{Cc}\t\r\n]*$/u.test(value);

/** `{{field}}` is replaced by that field of the payload, such as `{{firstName}}`; nothing else is interpreted. */
const template = (max: number, isAllowed: (value: string) => boolean, rule: string) =>
  rawText(max, 1)
    .refine(isAllowed, rule)
    .refine((value) => value.trim() !== '', 'must not be blank')
    .describe(
      'Plain text with `{{field}}` for fields of the event’s payload, and `{{businessName}}`, `{{supportEmail}}` and `{{purchasesUrl}}`; a line with `{{receipt}}` (`order.paid`, `subscription.rebilled`) or `{{items}}` (`order.paid`, `upsell.accepted`) alone is the list of what was bought; in emails to the buyer also `{{portalUrl}}` and, for events of a subscription, `{{cardUrl}}`; in emails to the seller `{{orderUrl}}`, for events of an order. In a body an empty line ends a paragraph, addresses become links, and a line whose fields are all empty is left out.',
    );

const emailAction = z.strictObject({
  type: z.literal('email'),
  to: z.enum(['buyer', 'seller']),
  subject: template(limits.name, isOneLine, oneLineRule),
  body: template(limits.templateBytes, isLines, 'must have no control characters except tabs and line breaks'),
});
const postAction = z.strictObject({ type: z.literal('post'), url: receiverUrl });
export const automationAction = z.discriminatedUnion('type', [emailAction, postAction]);
export type AutomationAction = z.infer<typeof automationAction>;

/** Built-in automations by key; each account has them all. */
export const builtInAutomations = [
  'receipt',
  'sale_notice',
  'renewal_receipt',
  'refund_notice',
  'partial_refund_notice',
  'hold_end_notice',
  'payment_failed_notice',
  'renewal_failed_notice',
  'cancellation_notice',
  'dispute_notice',
  'dispute_end_notice',
  'endpoint_off_notice',
  'key_refused_notice',
] as const;

export const automationResource = z
  .object({
    id: idSchema('automation'),
    name: z.string(),
    built_in: z.enum(builtInAutomations).nullable().describe('Null for automations that the seller made.'),
    active: z.boolean(),
    switched_off: z
      .object({ reason: z.enum(['seller', 'gone', 'failing']), at: timestamp })
      .nullable()
      .describe(
        'Why and when it was switched off; null while it is active. `gone`: its URL answered 410. `failing`: nothing was delivered for five days. `seller`: by you. Null also of a `renewal_receipt` and a `partial_refund_notice` that were never on, in accounts that are older than these.',
      ),
    available: z
      .boolean()
      .describe(
        'False while its emails go nowhere, because this deployment has neither a mail server (`SMTP_URL`) nor a folder for files (`EMAIL_DIR`), or `AUTOMATION_EMAILS` is off.',
      ),
    event: z
      .string()
      .describe('Of a built-in one also `endpoint.off` and `processor.key_refused`, which are no webhooks.'),
    product_id: z.string().nullable().describe('Null: of every product.'),
    action: automationAction,
    previous_secret_expires_at: timestamp
      .nullable()
      .describe('Until then POSTs carry two signatures: of the new and of the previous secret.'),
    created_at: timestamp,
    updated_at: timestamp,
    secret: z
      .string()
      .optional()
      .describe('Signing secret of a POST; only in the answer that made the automation or the secret.'),
    secret_notice: secretNotice,
  })
  .meta({ id: 'Automation' });

const automationFields = {
  name: text(limits.name, 1),
  event: webhookEventName,
  productId: idSchema('product')
    .nullable()
    .optional()
    .describe('Only for events that have a product. Null: every product.'),
  action: automationAction,
  active: z.boolean().optional(),
};
export const createAutomationBody = z.strictObject(automationFields).meta({ id: 'AutomationCreate' });
/** The event of an automation and the type of its action stay. Built-in ones take `active` and the `subject` and `body` of their action. */
const updateAutomationBody = z
  .strictObject({
    name: automationFields.name.optional(),
    productId: automationFields.productId,
    action: automationAction.optional(),
    active: z.boolean().optional(),
  })
  .meta({ id: 'AutomationUpdate' });
const previewAutomationBody = z
  .strictObject({ event: deliveredEventName, action: emailAction })
  .meta({ id: 'AutomationPreview' });
/** What the gateway knows of the caller's account; an event of it may still be on its way. */
const sellerSettings = z.object({
  businessName: z.string(),
  supportEmail: z.string(),
  supportEmailVerified: z.boolean().optional(),
  /** Of the account itself. */
  email: z.string().optional(),
});

const ofAutomation = { automationId: idSchema('automation') };

/** Built-in ones first. */
export const listAutomations = defineRequest('read', 'webhook-dispatcher', 'automations.list', {
  input: pageQueryOf(idSchema('automation')),
  output: listOf(automationResource),
});
export const createAutomation = defineRequest('command', 'webhook-dispatcher', 'automations.create', {
  input: z.object({ body: createAutomationBody }),
  output: automationResource,
});
export const getAutomation = defineRequest('read', 'webhook-dispatcher', 'automations.get', {
  input: z.object(ofAutomation),
  output: automationResource,
});
export const updateAutomation = defineRequest('command', 'webhook-dispatcher', 'automations.update', {
  input: z.object({ ...ofAutomation, body: updateAutomationBody }),
  output: automationResource,
});
/** Built-in ones cannot be deleted, only switched off. */
export const deleteAutomation = defineRequest('command', 'webhook-dispatcher', 'automations.delete', {
  input: z.object(ofAutomation),
  output: okResult,
});
/** As `rotateWebhookSecret`, for an automation that POSTs. */
export const rotateAutomationSecret = defineRequest('command', 'webhook-dispatcher', 'automations.rotate-secret', {
  input: z.object({ ...ofAutomation, body: rotateWebhookSecretBody.optional() }),
  output: automationResource,
});
/** As `revealWebhookSecret`, for an automation that POSTs. */
export const revealAutomationSecret = defineRequest('read', 'webhook-dispatcher', 'automations.reveal-secret', {
  input: z.object(ofAutomation),
  output: signingSecrets,
});
/** What the email would be, with sample data. */
export const previewAutomation = defineRequest('read', 'webhook-dispatcher', 'automations.preview', {
  input: z.object({ body: previewAutomationBody, account: sellerSettings }),
  output: z
    .object({ to: z.string(), subject: z.string(), text: z.string(), html: z.string() })
    .meta({ id: 'AutomationPreviewed' }),
});
/**
 * Runs the automation once with sample data: an email goes to the address of the account itself alone, a POST to
 * its URL.
 */
export const testAutomation = defineRequest('command', 'webhook-dispatcher', 'automations.test', {
  input: z.object({ ...ofAutomation, account: sellerSettings }),
  output: deliveryResource,
});

const resendReceiptBody = z
  .strictObject({
    email: emailAddress.optional().describe('Where it goes instead of the order’s address, as where that had a typo.'),
  })
  .meta({ id: 'ReceiptResend' });

/** Sends the receipt of a paid order once more. */
export const resendReceipt = defineRequest('command', 'webhook-dispatcher', 'receipts.resend', {
  input: z.object({ orderId: z.string(), body: resendReceiptBody.optional() }),
  output: deliveryResource,
});
