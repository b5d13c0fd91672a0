/** Finds base64 in texts, without regular expressions: they exhaust the stack on a run of some megabytes. */

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** 1 for the characters of base64, 2 for its padding and for those of its spelling in addresses. */
const KINDS = new Uint8Array(128);
for (const one of CHARACTERS) KINDS[one.charCodeAt(0)] = 1;
for (const one of '=_-') KINDS[one.charCodeAt(0)] = 2;

export function isBase64(data: string): boolean {
  const end = data.length - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);
  for (let at = 0; at < end; at += 1) if (KINDS[data.charCodeAt(at)] !== 1) return false;
  return data.length % 4 !== 1;
}

/** Takes away each run of at least `least` characters for which `isTaken` says yes to its beginning; counts what is taken. */
export function takeRuns(
  text: string,
  least: number,
  isTaken: (beginning: string) => boolean = () => true,
): { rest: string; taken: number } {
  const parts: string[] = [];
  let [kept, taken] = [0, 0];
  // A run of this length holds every so manieth character of the text.
  for (let probe = least - 1; probe < text.length; probe += least) {
    if (!isRunCharacter(text, probe)) continue;
    let [start, end] = [probe, probe + 1];
    while (start > kept && isRunCharacter(text, start - 1)) start -= 1;
    while (end < text.length && isRunCharacter(text, end)) end += 1;
    if (end - start >= least && isTaken(text.slice(start, start + 240))) {
      parts.push(text.slice(kept, start));
      taken += end - start;
      kept = end;
    }
    // The next probe stands behind the run.
    if (end > probe + least) probe = end - 1;
  }
  return taken === 0 ? { rest: text, taken } : { rest: [...parts, text.slice(kept)].join(' '), taken };
}

function isRunCharacter(text: string, at: number): boolean {
  return (KINDS[text.charCodeAt(at)] ?? 0) > 0;
}
