import { Migration } from '@app/service-kit/migrations';

/** `api_keys.pepper` names the pepper of a key's hash, so that those under another one can be counted. */
export class KeyPeppers extends Migration {
  override up(): void {
    this.addSql('alter table api_keys add column pepper text');
  }
}
