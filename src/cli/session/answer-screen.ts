/** Draws one answer on a terminal: text as it arrives, one line per tool call, and thinking as a single word. */
import type { TurnProgress } from '../../pipeline/session/session-deps.ts';
import { createPaint } from '../../report/text/terminal-colors.ts';
import type { Io } from '../io.ts';
import { createNewsPrinter, formatNews } from './news.ts';
import { createMarkdownStream } from './stream-markdown.ts';

const CLEAR_LINE = '\r\u001B[2K';

export type AnswerScreen = {
  hear: (news: TurnProgress) => void;
  /** Returns whether any text of the answer was shown. */
  spoke: () => boolean;
  end: () => void;
};

/** The `again` and `thinking` lines are drawn over; written text stays. */
export function createAnswerScreen(io: Pick<Io, 'draw' | 'err' | 'screen'>): AnswerScreen {
  const color = io.screen?.color === true;
  const paint = createPaint(color);
  const markdown = createMarkdownStream(color);
  const printNews = createNewsPrinter(io);
  let [isThinking, inLine, spoke] = [false, false, false];
  const clear = (): void => {
    if (isThinking) io.draw(CLEAR_LINE);
    isThinking = false;
  };
  const newLine = (): void => {
    clear();
    const rest = markdown.end();
    if (rest !== '') io.draw(rest);
    if (inLine || rest !== '') io.draw('\n');
    inLine = false;
  };
  return {
    hear: (news) => {
      if (io.screen === undefined) printNews(news);
      else if (news.type === 'text') {
        clear();
        const text = markdown.feed(news.text);
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
