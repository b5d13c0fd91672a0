/** Opens the configured channels with the secrets from the environment: webhooks, Slack and e-mail. */
import { createHmac } from 'node:crypto';
import type { Clock } from '../../ports/run-store.ts';
import { NOTICE_KINDS, type NoticeChannel, type NoticeKind, type Notice } from '../../ports/notices.ts';
import { createConfigError } from '../../errors.ts';
import { createEmail } from './email.ts';
import { postJson, type PostRetries, type PostTarget } from './post-notice.ts';

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
      return createWebhook({ ...readTarget(one, name, env), secret: readVariable(one.secret_env, env), clock, tries });
    case 'slack':
      return createSlack({ ...readTarget(one, name, env), tries });
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
  throw createConfigError(`config/reviewers.yaml: two notices are called "${twice}". Give each a name.`);
}

function readVariable(name: string, env: Env): string {
  const value = env[name]?.trim();
  if (value !== undefined && value !== '') return value;
  throw createConfigError(`config/reviewers.yaml: notices need ${name}, and it is not set.`);
}

/** A notice describes what is being built, so beyond this machine it is sent over TLS only. */
function readTarget({ url_env: variable }: { url_env: string }, channel: string, env: Env): PostTarget {
  const value = readVariable(variable, env);
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const local = url !== undefined && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && local)) return { url: url.href, channel, variable };
  throw createConfigError(`config/reviewers.yaml: ${variable} is no https address.`);
}

/** A signed webhook lets the receiver check the sender, the time, and whether a notice is a repetition. */
type WebhookOptions = PostTarget & { secret: string; clock: Clock; tries: PostRetries };

/**
 * `tandem-signature: t=<seconds>,v1=<hex>` is an HMAC-SHA256 over `<seconds>.<body>`; `idempotency-key` is the notice's
 * id. The body contains no personal link, because webhooks are read and logged by machines.
 */
function createWebhook({ secret, clock, tries, ...target }: WebhookOptions): NoticeChannel {
  return {
    name: target.channel,
    personal: false,
    send: async (notice, signal) => {
      const body = JSON.stringify({ version: 1, ...notice });
      const seconds = Math.floor(clock.now().getTime() / 1000);
      const mark = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
      const headers = { 'tandem-signature': `t=${seconds},v1=${mark}`, 'idempotency-key': notice.id };
      await postJson({ ...target, body, headers }, tries, signal);
    },
  };
}

/** Slack accepts 3000 characters in the text of a section and in the address of a button; a notice needs fewer. */
const MOST_TEXT = 2000;
const MOST_TITLE = 300;
const MOST_PLACE = 300;
const MOST_URL = 3000;

/** Sends messages to Slack and to services with the same format: Mattermost, Rocket.Chat, Discord's /slack address. */
function createSlack({ tries, ...target }: PostTarget & { tries: PostRetries }): NoticeChannel {
  return {
    name: target.channel,
    personal: false,
    send: async (notice, signal) => {
      const body = JSON.stringify(slackBody(notice));
      await postJson({ ...target, body, headers: { 'idempotency-key': notice.id } }, tries, signal);
    },
  };
}

const WAITS = ['opened', 'reminded', 'undone'];

export function slackBody({ title, text, run, gate, url, kind }: Notice): object {
  const said = escapeTitle(text, MOST_TEXT);
  const head = escapeTitle(title, MOST_TITLE) || kind;
  const place = escapeTitle([run, gate].filter((part) => part !== undefined).join(' · '), MOST_PLACE);
  const line = [`*${head}*`, said, place].filter((part) => part !== '').join('\n');
  const section = { type: 'section', text: { type: 'mrkdwn', text: line } };
  const label = { type: 'plain_text', text: WAITS.includes(kind) ? 'Read and decide' : 'Look' };
  const button = { type: 'actions', elements: [{ type: 'button', text: label, url }] };
  return { text: said || head, blocks: url.length <= MOST_URL ? [section, button] : [section] };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Escapes a title that an agent wrote, so that it can neither mention a channel nor hide a link. The escaped text is
 * measured, since one character may become five.
 */
function escapeTitle(text: string, most: number): string {
  const parts: string[] = [];
  let length = 0;
  for (const character of text.slice(0, most).toWellFormed().replaceAll(/\s+/g, ' ').trim()) {
    const part = ENTITIES[character] ?? (/[*_~`]/.test(character) ? `\u200b${character}` : character);
    length += part.length;
    if (length >= most) return `${parts.join('')}…`;
    parts.push(part);
  }
  return parts.join('');
}
