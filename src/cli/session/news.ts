/** Formats the events of a turn, one line each. */
import type { TurnProgress } from '../../pipeline/session/session-deps.ts';
import { changeText } from '../../report/context/context-part-names.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import type { Io } from '../io.ts';

/** Formats every event except the answer itself; undefined for events without a line. */
export function formatNews(news: TurnProgress): string | undefined {
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
