/** Draws one answer on a terminal: text as it arrives, one line per tool call, and thinking as a single word. */
import type { TurnProgress } from '../../pipeline/session/session-deps.ts';
import { createPaint } from '../../report/text/terminal-colors.ts';
import type { Io } from '../command-context.ts';
import { changeText } from '../../report/context/context-part-names.ts';
import { terminalLines, terminalText } from '../../report/text/sanitise.ts';

const CLEAR_LINE = '\r\u001B[2K';

export type AnswerScreen = {
  hear: (news: TurnProgress) => void;
  /** Returns whether any text of the answer was shown. */
  spoke: () => boolean;
  end: () => void;
};

/** The `again` and `thinking` lines are drawn over; written text stays. */
export function createAnswerScreen(io: Pick<Io, 'draw' | 'err' | 'screen'>): AnswerScreen {
  const paint = createPaint(io.screen?.color === true);
  const printNews = createNewsPrinter(io);
  let [isThinking, inLine, spoke] = [false, false, false];
  const clear = (): void => {
    if (isThinking) io.draw(CLEAR_LINE);
    isThinking = false;
  };
  const newLine = (): void => {
    clear();
    if (inLine) io.draw('\n');
    inLine = false;
  };
  return {
    hear: (news) => {
      if (io.screen === undefined) printNews(news);
      else if (news.type === 'text') {
        clear();
        const text = terminalLines(news.text.replaceAll('\r', '')).join('\n');
        io.draw(text);
        inLine = text === '' ? inLine : !text.endsWith('\n');
        spoke = true;
      } else if (news.type === 'thinking') {
        newLine();
        io.draw(paint('dim', '… thinking'));
        isThinking = true;
      } else {
        const line = formatNews(news);
        if (line === undefined) return;
        newLine();
        if (news.type === 'again') spoke = false;
        io.err(paint('dim', line));
      }
    },
    spoke: () => spoke,
    end: newLine,
  };
}

/** Formats every event except the answer itself; undefined for events without a line. */
function formatNews(news: TurnProgress): string | undefined {
  switch (news.type) {
    case 'tool':
      if (news.ended === undefined) return terminalText(`· ${news.name} ${news.about}`.trimEnd());
      return news.ended.isError ? terminalText(`  ${news.name} was refused or failed`) : undefined;
    case 'lane':
      return terminalText(
        `  ${news.lane} ${news.step}: ${news.tools.length === 0 ? 'answers' : news.tools.join(', ')}`,
      );
    case 'context':
      // Layers and notes for the model change at every turn.
      if (news.change.type === 'layer_changed' || news.change.type === 'item_added') return undefined;
      return terminalText(`context: ${changeText(news.change)}`);
    case 'again':
      return terminalText(`again: ${news.reason}`);
    case 'notice':
      return terminalText(news.detail);
    case 'text':
    case 'thinking':
      return undefined;
    default:
      return news satisfies never;
  }
}

/** Prints the lines for scripts and pipes. */
export function createNewsPrinter(io: Pick<Io, 'err'>): (news: TurnProgress) => void {
  return (news) => {
    const line = formatNews(news);
    if (line !== undefined) io.err(line);
  };
}
