/** A message for Slack, and for whatever takes the same body: Mattermost, Rocket.Chat, Discord's /slack address. */
import type { Notice, NoticeChannel } from '../../ports/notices.ts';
import { postJson, type Tries } from './post-json.ts';

const MOST_CHARS = 2500;

export function createSlack({ url, tries }: { url: string; tries: Tries }): NoticeChannel {
  return {
    name: 'slack',
    send: async (notice, signal) => {
      const body = JSON.stringify(slackBody(notice));
      await postJson({ url, body, headers: { 'idempotency-key': notice.id }, channel: 'slack' }, tries, signal);
    },
  };
}

export function slackBody({ title, text, run, gate, url, kind }: Notice): object {
  const line = `*${plain(title)}*\n${plain(text)}\n${plain(`${run} · ${gate}`)}`;
  const button = {
    type: 'actions',
    elements: [{ type: 'button', text: { type: 'plain_text', text: 'Read and decide' }, url }],
  };
  const section = { type: 'section', text: { type: 'mrkdwn', text: line } };
  return {
    text: plain(text),
    blocks: ['opened', 'reminded', 'undone'].includes(kind) ? [section, button] : [section],
  };
}

/** A title that an agent wrote can neither call a channel nor hide an address behind words. */
function plain(text: string): string {
  return text
    .slice(0, MOST_CHARS)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[*_~`]/g, '\u200b$&');
}
