/** What a terminal sends, made fit for an editor of one line: pasted lines are one piece of text and never the key Enter. */

const BEGIN = '\u001B[200~';
const END = '\u001B[201~';
/** A line break that is in the line while it is edited. */
export const BREAK = '␤';
const BREAKS = /\r\n|\r|\n/g;
/** Alt and Enter, as terminals send it. */
const TYPED_BREAK = /\u001B[\r\n]/g;
/** A longer paste is shown by its size: an editor of one line draws it anew at each key. */
const MOST_INLINE = 400;
/** A chunk of more characters that holds a line break was not typed. */
const MOST_TYPED = 256;

export type Pastes = {
  /** What of a chunk the editor gets. */
  feed: (chunk: string) => string;
  /** The whole text of an edited line; a sentence where a paste in it was cut. */
  whole: (line: string) => { text: string } | { fault: string };
};

/** Contract: the texts of pastes stay known, so that a line that comes back from the history is whole too. */
export function createPastes(): Pastes {
  const stored = new Map<string, string>();
  let [held, pasted]: [string, string | undefined] = ['', undefined];

  const shown = (given: string): string => {
    const text = harmless(given).replace(BREAKS, '\n').replace(/\n+$/, '');
    if (!text.includes('\n') && !text.includes('\t')) return text;
    if (text.length <= MOST_INLINE && !text.includes('\t')) return text.replaceAll('\n', BREAK);
    const name = `[paste ${stored.size + 1}: ${text.split('\n').length} lines]`;
    stored.set(name, text);
    return name;
  };

  const feed = (chunk: string): string => {
    const all = held + chunk;
    held = '';
    if (pasted !== undefined) {
      const end = all.indexOf(END);
      if (end === -1) {
        held = beginningOf(END, all, 1);
        pasted += all.slice(0, all.length - held.length);
        return '';
      }
      const text = shown(pasted + all.slice(0, end));
      pasted = undefined;
      return text + feed(all.slice(end + END.length));
    }
    const begin = all.indexOf(BEGIN);
    if (begin !== -1) {
      pasted = '';
      return typed(all.slice(0, begin)) + feed(all.slice(begin + BEGIN.length));
    }
    held = beginningOf(BEGIN, all, 2);
    return typed(all.slice(0, all.length - held.length));
  };

  /** A terminal that does not mark pastes sends many keys at once; a hand sends one. */
  const typed = (keys: string): string => {
    const text = keys.replace(TYPED_BREAK, BREAK);
    const breaks = text.match(BREAKS)?.length ?? 0;
    const isTyped = breaks === 0 || (breaks === 1 && /[\r\n]$/.test(text) && text.length <= MOST_TYPED);
    return isTyped ? text : shown(text);
  };

  return {
    feed,
    whole: (line) => {
      const cut = [...stored.keys()].find(
        (name) => !line.includes(name) && line.includes(name.slice(0, name.indexOf(':'))),
      );
      if (cut !== undefined) return { fault: `${cut} was cut: paste it again, or take all of it out.` };
      const text = [...stored].reduce((so, [name, paste]) => so.split(name).join(paste), line.replaceAll(BREAK, '\n'));
      return { text };
    },
  };
}

/** Nothing that is pasted may act as a key. */
function harmless(text: string): string {
  return text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, '');
}

/** As much of the end of a text as may be the beginning of a mark: where somebody types, a lone escape is a key. */
function beginningOf(mark: string, text: string, least: number): string {
  for (let length = mark.length - 1; length >= least; length -= 1)
    if (text.endsWith(mark.slice(0, length))) return mark.slice(0, length);
  return '';
}
