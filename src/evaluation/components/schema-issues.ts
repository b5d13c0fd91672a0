/** Zod's issues as sentences that name the path in the file. */
import type { z } from 'zod';
import { nearestWord } from './nearest-word.ts';

type ZodIssue = z.core.$ZodIssue;

/** `<pointer>: <message>` per issue; of a union the nearest variant. `known` are valid keys. */
export function schemaIssues(error: z.ZodError, known: readonly string[] = []): string[] {
  return error.issues.flatMap((issue) => describe(issue, [], known));
}

function describe(issue: ZodIssue, prefix: readonly PropertyKey[], known: readonly string[]): string[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'invalid_union') {
    const nearest = issue.errors.toSorted((a, b) => depthOf(b) - depthOf(a) || a.length - b.length)[0];
    if (nearest !== undefined && nearest.length > 0) return nearest.flatMap((inner) => describe(inner, path, known));
  }
  const place = `/${path.map(String).join('/')}: ${issue.message}`;
  if (issue.code !== 'unrecognized_keys') return [place];
  const meant = issue.keys.flatMap((key) => nearestWord(key, known) ?? []);
  return [meant.length === 0 ? place : `${place}; did you mean ${meant.map((key) => `"${key}"`).join(', ')}?`];
}

/** How deep a variant matches before it fails. */
function depthOf(issues: readonly ZodIssue[]): number {
  return Math.min(...issues.map((issue) => (issue.code === 'unrecognized_keys' ? 1 : issue.path.length)));
}
