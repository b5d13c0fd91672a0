/** `/current`: describes the state of a conversation, for a chat at a gate and for a session (S3.8). */
import { agentTools } from '../../app/agent-tools.ts';
import type { Home } from '../../config/home.ts';
import { readSessions } from '../../pipeline/sessions/read-sessions.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { listExchanges } from '../../run/exchanges.ts';
import type { SessionState } from '../../run/session.ts';
import { formatCount, formatTokens, formatUsd } from '../../report/text/number-format.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { readEvents } from '../../run-folder/snapshot.ts';

export async function describeChat(run: RunFolder, gate: string, home: Home): Promise<string[]> {
  const last = listExchanges(await readEvents(run), gate).at(-1);
  if (last === undefined) return ['Nothing was asked at this gate yet.'];
  const sessions = await readSessions(run, agentTools(home));
  const here = sessions.find(({ id }) => id.endsWith(`/chat/${last.lane}`));
  return here === undefined ? [`${last.lane}: its transcript is not there.`] : describeSession(here);
}

/** Returns the few lines that `/current` prints; `most` is the policy's limit of messages. `tandem sessions show` has all details. */
export function describeSession({ id, status, messages, calls, ...rest }: SessionState, most?: number): string[] {
  const { compactions, tokens: used, costUsd, workspace, todos, activeSkill, model } = rest;
  const shown = `messages ${messages.inView}${most === undefined ? '' : ` / ${most} (max)`}`;
  const open = todos.filter((todo) => todo.status !== 'done').length;
  return [
    `${id}  ${status}${model === null ? '' : `  ${model}`}`,
    `${shown} · ${formatCount(messages.total, 'message')} in all · ${formatCount(compactions, 'compaction')}`,
    `${formatCount(calls, 'call')}, ${formatTokens(used.input)} tokens in, ${formatTokens(used.output)} out, ${formatUsd(costUsd)}`,
    ...(todos.length === 0 ? [] : [`${open} of ${formatCount(todos.length, 'todo')} open`]),
    ...(activeSkill === null ? [] : [`skill ${activeSkill.name}`]),
    ...(workspace === null ? [] : [`workspace ${workspace}`]),
  ].map(terminalText);
}
