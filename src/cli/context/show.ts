/** `tandem context show <run> [agent]`: shows what an agent's model sees now, and how its context got there. */
import { findModel } from '../../app/models/known-model.ts';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { drawContext } from '../../context-lab/picture.ts';
import { HarnessError } from '../../errors.ts';
import { CHAT, chatEntries } from '../../pipeline/chat/conversation.ts';
import { readAllTranscripts } from '../../pipeline/sessions/read-sessions.ts';
import { AGENTS } from '../../pipeline/summarise.ts';
import { renderContext } from '../../report/context/terminal.ts';
import { readState } from '../../run-folder/snapshot.ts';
import { listLineage } from '../../transcript/entry.ts';
import { terminalSize, type JsonFlag, printAnswer, type Io } from '../command-context.ts';

const PLAIN_COLUMNS = 110;
const MAIN_LANE = 'main';

type ShownAgent = { run: string; agent?: string | undefined };

export async function showContext({ run: name, agent }: ShownAgent, options: JsonFlag, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const run = await openStore(home).store.open(name);
  const agents = agent === undefined ? AGENTS : [agent];
  // Includes the messages of an unfinished step.
  const transcripts = await readAllTranscripts(run);
  const read = await Promise.all(
    agents.map(async (one) => ({
      agent: one,
      entries: one === CHAT ? await chatEntries(run) : listLineage(transcripts.get(one) ?? [], MAIN_LANE),
      calls: await run.transcripts.calls(one),
    })),
  );
  const spoken = read.filter(({ entries, calls }) => entries.length + calls.length > 0);
  if (spoken.length === 0) {
    const whose = agent === undefined ? 'no agent has' : `agent "${agent}" has not`;
    const { lastFailure } = await readState(run);
    const why = lastFailure === undefined ? '' : `; ${lastFailure.step} failed: ${lastFailure.message}`;
    const known = `Agents are: ${AGENTS.join(', ')}.`;
    throw new HarnessError('not_found', `Run ${run.id}: ${whose} spoken yet${why}${why === '' ? '.' : ''} ${known}`);
  }
  const pictures = spoken.map(({ agent: one, entries, calls }) => ({
    agent: one,
    picture: drawContext(entries, calls),
  }));
  const lines: string[] = [];
  for (const [index, { agent: one, picture }] of pictures.entries()) {
    if (index > 0) lines.push('');
    const { context, model } = picture.history;
    const window = context?.window ?? (await findModel(home, model ?? ''))?.window;
    const head = { agent: one, ...(window === undefined ? {} : { window }) };
    lines.push(...renderContext(picture, head, terminalSize(io, PLAIN_COLUMNS)));
  }
  return printAnswer(io, { json: options.json, value: { run: run.id, contexts: pictures }, lines });
}
