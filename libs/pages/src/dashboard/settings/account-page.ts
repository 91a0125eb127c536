import type { FactorMethod } from '@app/contracts/factors';
import { browserName } from '@app/contracts/user-agent';
import { button, linkLike } from '../../components/button.ts';
import { card, facts } from '../../components/card.ts';
import { checkbox } from '../../components/choice.ts';
import { field } from '../../components/field.ts';
import { badge } from '../../components/notice.ts';
import { rows } from '../../components/rows.ts';
import { type Html, html } from '../../html.ts';
import { withCode } from '../../text.ts';
import { type FormState, form, typedIn } from '../frame/forms.ts';
import { when } from '../frame/times.ts';
import type { Visit } from '../frame/visit.ts';

const texts = {
  email: 'Email',
  logIn: 'You log in with',
  verified: 'Verified',
  unverified:
    'We emailed you a link to confirm this address. Until you open it, buyers get no emails from your shop; they wait for three days.',
  folder: 'This installation has no mail server: the email is a file in',
  sends: '`SMTP_URL` sends emails.',
  verify: 'Send the link again',
  newEmail: 'New email address',
  newEmailHint: 'It gets a link. Until you confirm it there, nothing changes.',
  yourPassword: 'Your password',
  changeEmail: 'Change the address',
  sending: 'Sending…',
  password: 'Password',
  current: 'Current password',
  new: 'New password',
  newHint: 'At least 10 characters. All your other sessions end.',
  revokeKeys: 'Revoke all API keys',
  revokeKeysHint: 'For when others may know them. Programs that use them stop working.',
  change: 'Change the password',
  changing: 'Changing…',
  sessions: 'Where you are logged in',
  here: 'This browser',
  unknown: 'A program that gave no name',
  from: 'from',
  since: 'since',
  factors: { passkey: 'with a passkey', code: 'with a one-time code', backup_code: 'with a backup code' },
  end: 'Log out there',
  endOthers: 'Log out everywhere else',
} as const;

interface AccountContent {
  readonly me: {
    readonly email: string;
    readonly emailVerified: boolean;
    readonly emailFolder?: string | null | undefined;
  };
  readonly sessions: readonly {
    readonly id: string;
    readonly current: boolean;
    readonly address: string | null;
    readonly user_agent: string | null;
    readonly factor: FactorMethod | null;
    readonly created_at: string;
  }[];
  readonly state: FormState;
  /** Of the sessions. */
  readonly pager: Html;
}

/** The login's address, its password, and the browsers that are logged in. */
export const accountContent = (visit: Visit, content: AccountContent): Html =>
  html`${addressCard(visit, content)}${passwordCard(visit, content)}${sessionsCard(visit, content)}`;

function addressCard(visit: Visit, { me, state }: AccountContent): Html {
  const verify = form(visit, {
    content: html``,
    buttons: linkLike({ label: texts.verify, name: 'do', value: 'verify' }),
  });
  const { emailFolder: folder = null } = me;
  const where =
    folder !== null && html`<p class="small">${texts.folder} <code>${folder}</code>. ${withCode(texts.sends)}</p>`;
  const status = me.emailVerified ? badge('good', texts.verified) : texts.unverified;
  return card(
    texts.email,
    html`${facts([[texts.logIn, html`<bdi>${me.email}</bdi>`]])}<p>${status}</p>${!me.emailVerified && html`${where}${verify}`}${emailForm(visit, state)}`,
  );
}

function emailForm(visit: Visit, state: FormState): Html {
  const address = field({
    name: 'email',
    label: texts.newEmail,
    hint: texts.newEmailHint,
    type: 'email',
    value: typedIn(state, 'email'),
    error: state.errors.email,
    autocomplete: 'off',
    isRequired: true,
    maxLength: 254,
  });
  const password = passwordField(state, 'emailPassword', texts.yourPassword, 'current-password');
  return form(visit, {
    content: html`<input type="hidden" name="do" value="email">${address}${password}`,
    buttons: button({ label: texts.changeEmail, busyLabel: texts.sending }),
  });
}

const passwordField = ({ errors }: FormState, name: string, label: string, autocomplete: string, hint?: string): Html =>
  field({
    name,
    label,
    hint,
    autocomplete,
    type: 'password',
    value: '',
    error: errors[name],
    isRequired: true,
    maxLength: 200,
  });

function passwordCard(visit: Visit, { me, state }: AccountContent): Html {
  const user = html`<input hidden readonly type="email" name="username" autocomplete="username" value="${me.email}">`;
  const content = html`${user}${passwordField(state, 'password', texts.current, 'current-password')}${passwordField(state, 'newPassword', texts.new, 'new-password', texts.newHint)}${checkbox({ name: 'revokeKeys', label: texts.revokeKeys, hint: texts.revokeKeysHint, isChecked: false })}`;
  const buttons = button({ label: texts.change, busyLabel: texts.changing });
  return card(texts.password, form(visit, { content, buttons }));
}

/** One form: the button that is pressed says which session ends. */
function sessionsCard(visit: Visit, { sessions, pager }: AccountContent): Html {
  const list = sessions.map(({ id, current, address, user_agent, factor, created_at }) => ({
    title: current ? texts.here : html`<bdi>${browserName(user_agent) ?? user_agent ?? texts.unknown}</bdi>`,
    detail: html`${address !== null && html`${texts.from} ${address}, `}${texts.since} ${when(created_at, visit.formats)}${factor !== null && `, ${texts.factors[factor]}`}`,
    end: current ? html`` : linkLike({ label: texts.end, name: 'end', value: id }),
  }));
  const others = linkLike({ label: texts.endOthers, name: 'do', value: 'end-others' });
  const content = rows(list);
  const hasOthers = sessions.some(({ current }) => !current);
  return card(texts.sessions, html`${hasOthers ? form(visit, { content, buttons: others }) : content}${pager}`);
}
