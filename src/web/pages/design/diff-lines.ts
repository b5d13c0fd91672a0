/** A unified diff as lines that know their file and their number, so that each can be pointed at. */

export type DiffLine = {
  kind: 'file' | 'hunk' | 'added' | 'removed' | 'same' | 'note';
  text: string;
  /** Name of the file without its folder; empty before the first. */
  file: string;
  /** Number in the old file, for removed and same lines; in the new one, for added and same lines. */
  old?: number;
  now?: number;
};

type Place = { file: string; old: number; now: number; oldLeft: number; nowLeft: number };

export function diffLines(diff: string): DiffLine[] {
  const place: Place = { file: '', old: 0, now: 0, oldLeft: 0, nowLeft: 0 };
  return diff.split('\n').flatMap((line) => {
    // Inside of a hunk its counts say what a line is: text may look like a header.
    if (place.oldLeft > 0 || place.nowLeft > 0) return [inHunk(line, place)];
    const [, path] = /^(?:---|\+\+\+) ([^\t]*)/.exec(line) ?? [];
    if (path !== undefined) {
      place.file = path.split('/').at(-1) ?? path;
      return [{ kind: 'file' as const, text: line, file: place.file }];
    }
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) return [beginHunk(line, hunk, place)];
    return line === '' || /^={5,}$/.test(line) ? [] : [{ kind: 'note' as const, text: line, file: place.file }];
  });
}

function beginHunk(text: string, [, old, oldLeft, now, nowLeft]: RegExpExecArray, place: Place): DiffLine {
  Object.assign(place, {
    ...{ old: Number(old), oldLeft: Number(oldLeft ?? 1) },
    ...{ now: Number(now), nowLeft: Number(nowLeft ?? 1) },
  });
  return { kind: 'hunk', text, file: place.file };
}

function inHunk(text: string, place: Place): DiffLine {
  const { file } = place;
  if (text.startsWith('\\')) return { kind: 'note', text, file };
  const isOld = !text.startsWith('+');
  const isNow = !text.startsWith('-');
  const line: DiffLine = {
    ...{ kind: isOld && isNow ? 'same' : isNow ? 'added' : 'removed', text, file },
    ...(isOld ? { old: place.old } : {}),
    ...(isNow ? { now: place.now } : {}),
  };
  if (isOld) Object.assign(place, { old: place.old + 1, oldLeft: place.oldLeft - 1 });
  if (isNow) Object.assign(place, { now: place.now + 1, nowLeft: place.nowLeft - 1 });
  return line;
}
