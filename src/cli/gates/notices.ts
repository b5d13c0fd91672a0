/** `tandem notices`: lists channels and undelivered notices with reasons; `tandem notices test` sends a test. */
import { listNotices, tryChannels } from '../../app/notices/list-notices.ts';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { loadReviewers } from '../../config/reviewers.ts';
import type { Delivery, ListedChannel, ListedNotices } from '../../gate/notices/notice-book.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { type Call, type JsonFlag, EXIT, printAnswer, type Io } from '../command-context.ts';

export async function noticesCommand({ json }: JsonFlag, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const listed = await listNotices(await loadReviewers(home), openStore(home));
  return printAnswer(io, { json, value: listed, lines: formatNotices(listed).map(terminalText) });
}

function formatNotices({ channels, undelivered, sent }: ListedNotices): string[] {
  if (channels.length === 0) return ['No channel is configured: notices: in config/reviewers.yaml (docs/notices.md).'];
  const rest = undelivered.map(deliveryLine);
  const all = `${sent} delivered, ${undelivered.length} not.`;
  return [...channels.map(channelLine), '', all, ...rest];
}

function channelLine({ name, type, since, fault }: ListedChannel): string {
  const head = `${name}${name === type ? '' : ` (${type})`}`.padEnd(20);
  if (fault !== undefined)
    return `${head} takes nothing since ${fault.since}: ${fault.why} Tried ${fault.tries} times, next at ${fault.until}.`;
  return `${head} ${since === undefined ? 'not used yet: tandem serve or a worker sends' : `in use since ${since}`}`;
}

function deliveryLine({ id, channel, to, since, state, tries, why = 'not tried yet.' }: Delivery): string {
  const outcome = state === 'refused' ? `given up after ${tries} tries` : 'waits';
  return `${since}  ${id}  ${channel}${to === undefined ? '' : ` to ${to}`}  ${outcome}: ${why}`;
}

export async function testNotices({ json }: JsonFlag, { io, signal }: Call): Promise<number> {
  const home = findHome(io.cwd);
  const { clock } = openStore(home);
  const reviewers = await loadReviewers(home);
  const tried = await tryChannels({ reviewers, env: io.env, clock, signal });
  const lines = tried.map(({ channel: name, to, ok, why = '' }) =>
    terminalText(`${name}${to === undefined ? '' : ` to ${to}`}: ${ok ? 'taken' : `not taken. ${why}`}`),
  );
  printAnswer(io, { json, value: { tried }, lines });
  return tried.every(({ ok }) => ok) ? EXIT.met : EXIT.infrastructure;
}
