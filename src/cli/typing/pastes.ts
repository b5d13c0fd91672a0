/** Prepares terminal input for a one-line editor: pasted lines become one piece of text and never the key Enter. */

const BEGIN = '\u001B[200~';
const END = '\u001B[201~';
/** Stands for a line break in a line that is being edited. */
export const BREAK = '␤';
const BREAKS = /\r\n|\r|\n/g;
/** The keys Alt and Enter, as terminals send them. */
const TYPED_BREAK = /\u001B[\r\n]/g;
/** A longer paste is shown only by its size, because the editor redraws its line at each key. */
const MOST_INLINE = 400;
/** A longer chunk with a line break was pasted and not typed. */
const MOST_TYPED = 256;

export type PasteBuffer = {
  /** Returns the part of a chunk that goes to the editor. */
  feed: (chunk: string) => string;
  /** Returns the full text of an edited line, or a message when a paste in it was cut. */
  whole: (line: string) => { text: string } | { fault: string };
};

/** The texts of pastes are kept, so that a line that comes back from the history is complete too. */
export function createPasteBuffer(): PasteBuffer {
  const stored = new Map<string, string>();
  let [held, pasted]: [string, string | undefined] = ['', undefined];

  const shown = (given: string): string => {
    const text = stripControls(given).replace(BREAKS, '\n').replace(/\n+$/, '');
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
        held = findMarkPrefix(END, all, 1);
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
    held = findMarkPrefix(BEGIN, all, 2);
    return typed(all.slice(0, all.length - held.length));
  };

  /** A terminal without paste marks sends many keys at once; a person sends one. */
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

/** Removes control characters, so that no pasted text acts as a key. */
function stripControls(text: string): string {
  return text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, '');
}

/** Returns the end of a text that may begin a mark, of `least` characters or more: a typed escape is a key. */
function findMarkPrefix(mark: string, text: string, least: number): string {
  for (let length = mark.length - 1; length >= least; length -= 1)
    if (text.endsWith(mark.slice(0, length))) return mark.slice(0, length);
  return '';
}
