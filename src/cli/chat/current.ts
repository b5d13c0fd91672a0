/** `/current` in a chat: what the conversation at this gate has come to. */
import { agentTools } from '../../app/agent-tools.ts';
import type { Home } from '../../config/home.ts';
import { readSessions } from '../../pipeline/sessions/read-sessions.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { exchangesOf } from '../../run/exchanges.ts';
import { currentLines } from './slash-commands.ts';
import { readEvents } from '../../run-folder/snapshot.ts';

export async function currentOf(run: RunFolder, gate: string, home: Home): Promise<string[]> {
  const last = exchangesOf(await readEvents(run), gate).at(-1);
  if (last === undefined) return ['Nothing was asked at this gate yet.'];
  const sessions = await readSessions(run, agentTools(home));
  const here = sessions.find(({ id }) => id.endsWith(`/chat/${last.lane}`));
  return here === undefined ? [`${last.lane}: its transcript is not there.`] : currentLines(here);
}
