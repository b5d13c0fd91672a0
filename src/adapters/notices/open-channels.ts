/** The channels that the configuration names, with the secrets that the environment holds. */
import { createHmac } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import { NOTICE_KINDS, type NoticeChannel, type NoticeKind } from '../../ports/notices.ts';
import { HarnessError } from '../../errors.ts';
import { createEmail } from './email.ts';
import { type Tries, postJson } from './post-json.ts';
import type { PluginOptions } from '../../ports/plugins/plugins.ts';
import { createPluginChannel, type PluginChannelSetup } from '../plugins/plugin-channel.ts';
import { createSlack } from './slack.ts';

/** `name`: absent, the kind, and a number from the second of a kind on. `kinds`: absent, all. */
export type ChannelSettings = { name?: string | undefined; kinds?: readonly NoticeKind[] | undefined } & (
  | { kind: 'webhook'; url_env: string; secret_env: string }
  | { kind: 'slack'; url_env: string }
  | { kind: 'email'; smtp_env: string; from: string }
  | { kind: 'plugin'; plugin: string; options: PluginOptions }
);

type Env = Readonly<Record<string, string | undefined>>;
export type ChannelOptions = {
  env: Env;
  clock: Clock;
  tries?: Tries;
  /** Loads one by its name; absent: plugins are not known here. */
  plugin?: ((name: string) => ReturnType<PluginChannelSetup['load']>) | undefined;
};
export type NamedChannel = NoticeChannel & { kinds: readonly NoticeKind[] };

const TRIES: Tries = { tries: 3, pauseMs: 1000, timeoutMs: 10_000 };

/** Contract: `config_invalid` names the variable that is missing or cannot be used, and never what is in it. */
export function openChannels(
  settings: readonly ChannelSettings[],
  { env, clock, tries = TRIES, plugin }: ChannelOptions,
): NamedChannel[] {
  const names = channelNames(settings);
  return settings.map((one, index) => {
    const name = names[index] ?? one.kind;
    return { ...openChannel(one, name, { env, clock, tries, plugin }), kinds: one.kinds ?? NOTICE_KINDS };
  });
}

function openChannel(
  one: ChannelSettings,
  name: string,
  { env, clock, tries, plugin }: ChannelOptions & { tries: Tries },
): NoticeChannel {
  switch (one.kind) {
    case 'webhook':
      return createWebhook({
        url: address(one.url_env, env),
        name,
        secret: valueOf(one.secret_env, env),
        clock,
        tries,
      });
    case 'slack':
      return createSlack({ url: address(one.url_env, env), name, tries });
    case 'email':
      return createEmail({ smtp: valueOf(one.smtp_env, env), name, from: one.from });
    case 'plugin':
      if (plugin === undefined) throw new HarnessError('config_invalid', `${one.plugin}: no plugins are open here.`);
      return createPluginChannel({ name, options: one.options, load: () => plugin(one.plugin) });
    default:
      return one satisfies never;
  }
}

/** `slack`, `slack-2`, or as they are called; two of one name would share what is on record of them. */
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

function valueOf(name: string, env: Env): string {
  const value = env[name]?.trim();
  if (value !== undefined && value !== '') return value;
  throw new HarnessError('config_invalid', `config/reviewers.yaml: notices need ${name}, and it is not set.`);
}

/** A notice says what is being built: beyond this machine it goes over TLS only. */
function address(name: string, env: Env): string {
  const value = valueOf(name, env);
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const local = url !== undefined && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && local)) return url.href;
  throw new HarnessError('config_invalid', `config/reviewers.yaml: ${name} is no https address.`);
}

/** A signed webhook: the receiver can prove who sent it, when, and that it has seen it before. */
type WebhookOptions = { url: string; name: string; secret: string; clock: Clock; tries: Tries };

/**
 * `tandem-signature: t=<seconds>,v1=<hex>` is an HMAC-SHA256 over `<seconds>.<body>`; `idempotency-key` is the notice's id. Nobody's
 * own link is in it: a webhook is read by machines and logged by them.
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
