import { Migration } from '@app/service-kit/migrations';

const before = `Hello,

the payment of {{amount}} for {{product}} did not go through.

To use another card, or if you have questions, reply to this email or write to {{supportEmail}}.

{{businessName}}
`;
const after = `Hello,

the payment of {{amount}} for {{product}} did not go through.

Use another card: {{cardUrl}}

Questions? Reply to this email, or write to {{supportEmail}}.

{{businessName}}
`;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The notice of a failed renewal leads to a page for another card. A text that a seller changed stays as it is. */
export class CardLink extends Migration {
  override up(): void {
    this.addSql(`
      update endpoints set action = jsonb_set(action, '{body}', to_jsonb(${quoted(after)}::text))
      where built_in = 'payment_failed_notice' and action ->> 'body' = ${quoted(before)}`);
  }
}
