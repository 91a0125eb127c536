import type { Rotation } from '@app/service-host/rotate-secrets';
import { sealedColumn } from '@app/service-kit/reseal';
import { secretsOf } from '@app/service-kit/sealed-box';
import { createProcessorSecrets, keyPurpose } from './processors/processor-secrets.ts';
import { secretPurpose } from './processors/settings/webhook-secrets.ts';

interface RotatedSettings {
  readonly SECRETS_KEY: string;
  readonly SECRETS_KEY_PREVIOUS?: string | undefined;
}

/** What is under `SECRETS_KEY`, and how it is sealed anew. */
export function billingRotation({ SECRETS_KEY, SECRETS_KEY_PREVIOUS }: RotatedSettings): Rotation {
  const secrets = createProcessorSecrets(secretsOf(SECRETS_KEY, SECRETS_KEY_PREVIOUS));
  const keyOfMode = ['account_id', 'processor', 'test', 'at_processor'];
  const modeOf = ([accountId = '', processor = '', test, atProcessor = '']: readonly string[]) => ({
    accountId,
    processor,
    test: test === 'true',
    atProcessor,
  });
  const ofWebhook = (what: string, name: string, column: string) =>
    sealedColumn<Buffer>({
      what,
      name,
      type: 'bytea',
      table: 'processor_webhooks',
      keys: keyOfMode,
      sealed: column,
      reseal: (sealed, bound) => secrets.reseal(sealed, bound[0] ?? '', secretPurpose(modeOf(bound))),
    });
  return {
    setting: 'SECRETS_KEY',
    columns: [
      sealedColumn<Buffer>({
        what: 'secrets of processors',
        name: 'processor-settings',
        type: 'bytea',
        table: 'processor_settings',
        keys: ['account_id', 'processor'],
        sealed: 'secret_key',
        reseal: (sealed, [accountId = '', processor = '']) => secrets.reseal(sealed, accountId, processor),
      }),
      sealedColumn<Buffer>({
        what: 'API keys of processors',
        name: 'processor-keys',
        type: 'bytea',
        table: 'processor_keys',
        keys: keyOfMode,
        sealed: 'secret_key',
        reseal: (sealed, bound) => {
          const { accountId, processor, test, atProcessor } = modeOf(bound);
          return secrets.reseal(sealed, accountId, keyPurpose(processor, test, atProcessor));
        },
      }),
      ofWebhook('signing secrets of processors', 'processor-webhooks', 'secret'),
      ofWebhook('signing secrets of processors from before', 'processor-webhooks-earlier', 'earlier_secret'),
    ],
  };
}
