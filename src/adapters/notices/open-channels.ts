/** Opens the configured channels with the secrets from the environment. */
import { createHmac } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import { NOTICE_KINDS, type NoticeChannel, type NoticeKind } from '../../ports/notices.ts';
import { HarnessError } from '../../errors.ts';
import { createEmail } from './email.ts';
import { type PostRetries, postJson } from './post-json.ts';
import { createSlack } from './slack.ts';

/** `name`: absent, the kind, with a number from the second of a kind on. `kinds`: absent, all. */
export type ChannelSettings = { name?: string | undefined; kinds?: readonly NoticeKind[] | undefined } & (
  | { kind: 'webhook'; url_env: string; secret_env: string }
  | { kind: 'slack'; url_env: string }
  | { kind: 'email'; smtp_env: string; from: string }
);

type Env = Readonly<Record<string, string | undefined>>;
export type ChannelOptions = {
  env: Env;
  clock: Clock;
  tries?: PostRetries;
};
export type NamedChannel = NoticeChannel & { kinds: readonly NoticeKind[] };

const TRIES: PostRetries = { tries: 3, pauseMs: 1000, timeoutMs: 10_000 };

/** Contract: `config_invalid` names the missing or unusable variable, and never its value. */
export function openChannels(
  settings: readonly ChannelSettings[],
  { env, clock, tries = TRIES }: ChannelOptions,
): NamedChannel[] {
  const names = channelNames(settings);
  return settings.map((one, index) => {
    const name = names[index] ?? one.kind;
    return { ...openChannel(one, name, { env, clock, tries }), kinds: one.kinds ?? NOTICE_KINDS };
  });
}

function openChannel(
  one: ChannelSettings,
  name: string,
  { env, clock, tries }: ChannelOptions & { tries: PostRetries },
): NoticeChannel {
  switch (one.kind) {
    case 'webhook':
      return createWebhook({
        url: readAddress(one.url_env, env),
        name,
        secret: readVariable(one.secret_env, env),
        clock,
        tries,
      });
    case 'slack':
      return createSlack({ url: readAddress(one.url_env, env), name, tries });
    case 'email':
      return createEmail({ smtp: readVariable(one.smtp_env, env), name, from: one.from });
    default:
      return one satisfies never;
  }
}

/** `slack`, `slack-2`, or the given name; two channels of one name would share their delivery records. */
export function channelNames(settings: readonly ChannelSettings[]): string[] {
  const names = settings.map(({ name, kind }, index) => {
    const nth = settings.slice(0, index + 1).filter((other) => other.name === undefined && other.kind === kind).length;
    return name ?? (nth === 1 ? kind : `${kind}-${nth}`);
  });
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return names;
  throw new HarnessError(
    'config_invalid',
    `config/reviewers.yaml: two notices are called "${twice}". Give each a name.`,
  );
}

function readVariable(name: string, env: Env): string {
  const value = env[name]?.trim();
  if (value !== undefined && value !== '') return value;
  throw new HarnessError('config_invalid', `config/reviewers.yaml: notices need ${name}, and it is not set.`);
}

/** A notice describes what is being built, so beyond this machine it is sent over TLS only. */
function readAddress(name: string, env: Env): string {
  const value = readVariable(name, env);
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const local = url !== undefined && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && local)) return url.href;
  throw new HarnessError('config_invalid', `config/reviewers.yaml: ${name} is no https address.`);
}

/** A signed webhook lets the receiver check the sender, the time, and whether a notice is a repetition. */
type WebhookOptions = { url: string; name: string; secret: string; clock: Clock; tries: PostRetries };

/**
 * `tandem-signature: t=<seconds>,v1=<hex>` is an HMAC-SHA256 over `<seconds>.<body>`; `idempotency-key` is the notice's
 * id. The body contains no personal link, because webhooks are read and logged by machines.
 */
function createWebhook({ url, name, secret, clock, tries }: WebhookOptions): NoticeChannel {
  return {
    name,
    personal: false,
    send: async (notice, signal) => {
      const body = JSON.stringify({ version: 1, ...notice });
      const seconds = Math.floor(clock.now().getTime() / 1000);
      const mark = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
      const headers = { 'tandem-signature': `t=${seconds},v1=${mark}`, 'idempotency-key': notice.id };
      await postJson({ url, body, headers, channel: name }, tries, signal);
    },
  };
}
