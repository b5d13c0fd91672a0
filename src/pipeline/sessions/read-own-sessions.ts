/** Reads people's own sessions into the same state as that of an agent's session in a run. */
import type { SessionFolder } from '../../ports/run-store.ts';
import { foldSession } from '../../run/fold-session.ts';
import type { SessionState, SessionStatus } from '../../run/session.ts';
import { Entry, listLineage } from '../../transcript/entry.ts';
import type { SessionTurns } from '../../run/fold-turns.ts';
import { isSessionOpen } from '../session/live-session.ts';
import { readSession } from '../../run-folder/session-events.ts';
import { selectBranch } from '../session/take-turn.ts';
import { type AgentToolsLookup, listLanes, sumLaneCost } from './read-sessions.ts';

/** Returns the current conversation as the model is shown it, without what was taken back. */
export async function readConversation(folder: SessionFolder, now?: SessionTurns): Promise<Entry[]> {
  const { agent, lane, head } = now ?? (await readSession(folder));
  return listLineage(selectBranch(await folder.transcripts.read(agent), { lane, after: head }), lane);
}

/** Returns the newest conversation first, then earlier ones and those of sub-agents. */
export async function readOwnSession(folder: SessionFolder, toolsOf: AgentToolsLookup): Promise<SessionState[]> {
  const now = await readSession(folder);
  const { agent, lane, head, model, modelChosen } = now;
  const chosen = model === undefined || modelChosen === undefined ? null : { model, ...modelChosen };
  const all = selectBranch(await folder.transcripts.read(agent), { lane, after: head });
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
  const found = listLanes(all).filter((one) => one !== 'taken-back');
  const lanes = [lane, ...found.filter((one) => one !== lane)];
  return lanes.map((one) => {
    const entries = one === lane ? listLineage(all, lane) : all.filter((entry) => entry.lane === one);
    const costUsd = sumLaneCost(spent, agent, one === lane ? 'main' : one);
    const state = foldSession({
      ...{ run, agent, lane: one, entries, tools, uploads: uploads.toSorted(), costUsd },
      workspace: 'workspace',
      // A sub-agent's conversation has no chosen model; without a model of its own it uses its agent's.
      modelPreference: one === lane ? chosen : null,
    });
    return { ...state, id: one === lane ? folder.id : `${folder.id}/${one}` };
  });
}
