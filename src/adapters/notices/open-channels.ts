/** The channels that the configuration names, with the secrets that the environment holds. */
import type { Clock } from '../../ports/clock.ts';
import type { NoticeChannel } from '../../ports/notices.ts';
import { HarnessError } from '../../errors.ts';
import { createEmail } from './email.ts';
import type { Tries } from './post-json.ts';
import { createSlack } from './slack.ts';
import { createWebhook } from './webhook.ts';

export type ChannelSettings =
  | { kind: 'webhook'; url_env: string; secret_env: string }
  | { kind: 'slack'; url_env: string }
  | { kind: 'email'; smtp_env: string; from: string };

type Env = Readonly<Record<string, string | undefined>>;
export type ChannelOptions = { env: Env; clock: Clock; tries?: Tries };

const TRIES: Tries = { tries: 4, pauseMs: 1000 };

/** Contract: `config_invalid` names the variable that is missing or cannot be used, and never what is in it. */
export function openChannels(
  settings: readonly ChannelSettings[],
  { env, clock, tries = TRIES }: ChannelOptions,
): NoticeChannel[] {
  return settings.map((one) => {
    switch (one.kind) {
      case 'webhook':
        return createWebhook({ url: address(one.url_env, env), secret: valueOf(one.secret_env, env), clock, tries });
      case 'slack':
        return createSlack({ url: address(one.url_env, env), tries });
      case 'email':
        return createEmail({ smtp: valueOf(one.smtp_env, env), from: one.from });
      default:
        return one satisfies never;
    }
  });
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
