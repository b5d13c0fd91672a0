/** Shared arguments for QuickJS, which has no cache: put in place before a call, and turned into edits after it. */
import type { HostOutcome } from '../sandbox/host-outcomes.ts';
import type { HostCall } from '../sandbox/host-process.ts';
import {
  buildArguments,
  editsBetween,
  type Edit,
  type ValueSlot,
  type DuplicateText,
} from '../sandbox/cached-values.mts';

type SharedPlaces = { same: DuplicateText[]; kept?: ValueSlot[] };

/** The arguments as one JSON text, with cached values and long texts at all their places. */
export function argumentsInPlace({ args, places }: Pick<HostCall, 'args' | 'places'>): string {
  const { same, kept = [] } = JSON.parse(`{${places}}`) as SharedPlaces;
  if (same.length + kept.length === 0) return args;
  return JSON.stringify(buildArguments({ args: JSON.parse(args) as unknown[], same, kept }));
}

/** Returns only the edits of cached arguments; `answer` and the result are JSON. */
export function stripSharedArguments(
  answer: string,
  { args, places, returnsArgs }: Pick<HostCall, 'args' | 'places' | 'returnsArgs'>,
  maxChars: number,
): string {
  const { kept = [] } = JSON.parse(`{${places}}`) as SharedPlaces;
  if (kept.length === 0 || !returnsArgs) return answer;
  const outcome = JSON.parse(answer) as HostOutcome;
  if (!outcome.ok) return answer;
  const edits: [number, Edit[]][] = [];
  const left = [...outcome.args];
  for (const [[slot = ''], name, given] of kept) {
    const made = editsBetween(name, given, JSON.stringify(left[Number(slot)]));
    if (made.length > 0) edits.push([Number(slot), made]);
    left[Number(slot)] = null;
  }
  const isSame = JSON.stringify(left) === args;
  const text = JSON.stringify({ ok: true, ...(isSame ? {} : { args: left }), edits, value: outcome.value });
  if (text.length <= maxChars) return text;
  const message = `the answer has ${text.length} characters; at most ${maxChars} are taken`;
  return JSON.stringify({ ok: false, kind: 'too_large', message });
}
