/** People's own sessions as people look at them: the same state as that of an agent's session in a run. */
import { lineage, type Entry } from '../../transcript/entry.ts';
import type { SessionFolder } from '../../ports/run-store.ts';
import { foldSession } from '../../run/fold-session.ts';
import type { SessionState, SessionStatus } from '../../run/session.ts';
import type { SessionNow } from '../../run/fold-turns.ts';
import { isSessionOpen } from '../session/session.ts';
import { readSession } from '../../run-folder/session-events.ts';
import { standing } from '../session/take-turn.ts';
import { costOf, lanesOf, type AgentToolsLookup } from './read-sessions.ts';

/** The conversation that goes on, as the model is shown it now: without what was taken back. */
export async function conversationOf(folder: SessionFolder, now?: SessionNow): Promise<Entry[]> {
  const { agent, lane, head } = now ?? (await readSession(folder));
  return lineage(standing(await folder.transcripts.read(agent), { lane, after: head }), lane);
}

function preferenceOf({ model, modelChosen }: SessionNow): SessionState['modelPreference'] {
  return model === undefined || modelChosen === undefined ? null : { model, ...modelChosen };
}

/** The newest conversation first, then earlier ones and sub-agents'. */
export async function readOwnSession(folder: SessionFolder, toolsOf: AgentToolsLookup): Promise<SessionState[]> {
  const now = await readSession(folder);
  const { agent, lane, head } = now;
  const all = standing(await folder.transcripts.read(agent), { lane, after: head });
  const [spent, uploads, tools, isOpen] = await Promise.all([
    folder.spending.list(),
    folder.list('uploads'),
    toolsOf(agent),
    isSessionOpen(folder),
  ]);
  const status: SessionStatus = isOpen ? 'live' : now.open === undefined ? 'idle' : 'stopped';
  const run = {
    ...{ id: folder.id, scenario: now.run === undefined ? '' : `run ${now.run.id}`, status, runStatus: status },
    ...{ startedBy: now.startedBy, lastAt: now.lastAt },
  };
  const found = lanesOf(all).filter((one) => one !== 'taken-back');
  const lanes = [lane, ...found.filter((one) => one !== lane)];
  return lanes.map((one) => {
    const entries = one === lane ? lineage(all, lane) : all.filter((entry) => entry.lane === one);
    const costUsd = costOf(spent, agent, one === lane ? 'main' : one);
    const state = foldSession({
      ...{ run, agent, lane: one, entries, tools, uploads: uploads.toSorted(), costUsd },
      workspace: 'workspace',
      // Nobody chooses for a sub-agent's conversation; without a model of its own it has its agent's.
      modelPreference: one === lane ? preferenceOf(now) : null,
    });
    return { ...state, id: one === lane ? folder.id : `${folder.id}/${one}` };
  });
}
