/** What happens during a turn, a line each. */
import type { SessionNews } from '../../pipeline/session/session-deps.ts';
import { changeText } from '../../report/context/words.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import type { Io } from '../io.ts';

/** Everything but the answer itself; undefined for what has no line. */
export function newsLine(news: SessionNews): string | undefined {
  switch (news.type) {
    case 'tool':
      if (news.ended === undefined) return terminalText(`· ${news.name} ${news.about}`.trimEnd());
      return news.ended.isError ? terminalText(`  ${news.name} was refused or failed`) : undefined;
    case 'lane':
      return terminalText(
        `  ${news.lane} ${news.step}: ${news.tools.length === 0 ? 'answers' : news.tools.join(', ')}`,
      );
    case 'context':
      // Layers and notes for the model come and go at every turn.
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

/** For scripts and pipes. */
export function plainNews(io: Pick<Io, 'err'>): (news: SessionNews) => void {
  return (news) => {
    const line = newsLine(news);
    if (line !== undefined) io.err(line);
  };
}
