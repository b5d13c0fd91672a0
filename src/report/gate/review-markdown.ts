/** Renders the review of a gate in Markdown, for a pull request, a job summary or an agent: the terminal's text, and the long parts folded. */
import type { GateComment } from '../../run/exchanges.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { CONFIRM_WORD } from '../../gate/rules/gate.ts';
import { markdownFence, markdownText } from '../text/markdown.ts';
import { formatCount } from '../text/number-format.ts';
import { clipText, shellQuote, terminalText } from '../text/sanitise.ts';
import { listApprovalDoubts } from './approval-doubts.ts';
import { describeAccount } from './review-texts.ts';
import { renderReviewTerminal } from './review-terminal.ts';

/** A GitHub comment may hold 65,536 characters, and there are four parts. */
const MOST_CHARS = 15_000;

const SCREEN = { columns: 100, color: false };

/** `closed`: the gate no longer waits; it says who answered and how, or why nobody did. */
type ReviewOutcome = { closed?: string; said?: readonly GateComment[] };

export function renderReviewMarkdown(pack: ReviewPack, outcome: ReviewOutcome = {}): string {
  const screen = renderReviewTerminal(pack, SCREEN, { ...outcome, keys: [] });
  const rules = pack.rules.map(({ id, title, severity, text }) => `${id} ${title} (${severity}): ${text}`);
  const accounts = (pack.accounts ?? []).map((one) => `${one.place} ${describeAccount(one)}`);
  const blocks = [
    `# ${markdownText(pack.gate)}: ${markdownText(pack.title)}`,
    markdownFence(clipText(screen.join('\n'), MOST_CHARS)),
    ...formatFold('Full diff', pack.since.diff, 'diff'),
    ...formatFold(`All ${formatCount(pack.rules.length, 'rule')}`, rules.map(terminalText).join('\n')),
    ...formatFold('What became of the brief', accounts.map(terminalText).join('\n')),
    ...formatFold('The subject’s prompt', pack.prompt ?? ''),
    ...(outcome.closed === undefined ? ['## Answer', ...formatAnswerCommands(pack)] : []),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function formatFold(title: string, text: string, language?: string): string[] {
  if (text === '') return [];
  const fence = markdownFence(clipText(text, MOST_CHARS), language);
  return [`<details><summary>${title}</summary>\n\n${fence}\n\n</details>`];
}

function formatAnswerCommands(pack: ReviewPack): string[] {
  const which = `${shellQuote(pack.run)} --gate ${shellQuote(pack.gate)} --digest ${shellQuote(pack.designDigest)}`;
  const commands = [
    `tandem gates approve ${which}`,
    `tandem gates request-changes ${which} --comment '…'`,
    `tandem gates reject ${which} --comment '…'`,
  ];
  const doubted = listApprovalDoubts(pack).length > 0;
  return [
    markdownFence(commands.join('\n'), 'sh'),
    ...(doubted ? [`To approve although something was found, add \`--${CONFIRM_WORD}\`.`] : []),
  ];
}
