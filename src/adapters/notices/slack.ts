/** Sends messages to Slack and to services with the same format: Mattermost, Rocket.Chat, Discord's /slack address. */
import type { Notice, NoticeChannel } from '../../ports/notices.ts';
import { postJson, type PostRetries } from './post-json.ts';

/** Slack accepts 3000 characters in the text of a section and in the address of a button; a notice needs fewer. */
const MOST_TEXT = 2000;
const MOST_TITLE = 300;
const MOST_PLACE = 300;
const MOST_URL = 3000;

export function createSlack({ url, name, tries }: { url: string; name: string; tries: PostRetries }): NoticeChannel {
  return {
    name,
    personal: false,
    send: async (notice, signal) => {
      const body = JSON.stringify(slackBody(notice));
      await postJson({ url, body, headers: { 'idempotency-key': notice.id }, channel: name }, tries, signal);
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
