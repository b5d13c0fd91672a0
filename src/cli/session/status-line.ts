/** Formats the dim line after an answer: model, tokens of the window, cached share, money spent of the budget. */
import { readConversation } from '../../pipeline/sessions/read-own-sessions.ts';
import { paidText, formatTokens, formatUsd } from '../../report/text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import type { TerminalSession } from './terminal-session.ts';

export async function formatStatusLine({
  conversation: { now },
  folder,
}: Pick<TerminalSession, 'conversation' | 'folder'>): Promise<string> {
  const entries = await readConversation(folder, now);
  const messages = entries.filter((entry) => entry.type === 'message');
  const window = messages.findLast(({ context }) => context !== undefined)?.context?.window;
  const { usage, model = '' } = messages.findLast(({ response }) => response !== undefined)?.response ?? {};
  const cached = usage?.cache_read_input_tokens ?? 0;
  const input = (usage?.input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0) + cached;
  const used = input + (usage?.output_tokens ?? 0);
  const share = window === undefined ? '' : ` of ${formatTokens(window)} (${formatPercent(used / window)})`;
  const spent = await folder.spending.list();
  const paid = {
    usd: spent.reduce((sum, one) => sum + one.usd, 0),
    uncertainUsd: spent.reduce((sum, one) => sum + one.uncertainUsd, 0),
  };
  const parts = [
    ...(usage === undefined
      ? []
      : [model, `${formatTokens(used)}${share}`, `${formatPercent(input === 0 ? 0 : cached / input)} cached`]),
    `${paidText(paid)} of ${formatUsd(now.budgetUsd)}`,
  ];
  return terminalText(parts.join(' · '));
}
