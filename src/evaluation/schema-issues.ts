/** What zod found, as sentences that name the path in the file. */
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** `<pointer>: <message>` per issue; of a union the form that was nearest to being meant. */
export function schemaIssues(error: z.ZodError): string[] {
  return error.issues.flatMap((issue) => describe(issue, []));
}

function describe(issue: Issue, prefix: readonly PropertyKey[]): string[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'invalid_union') {
    const nearest = issue.errors.toSorted((a, b) => depthOf(b) - depthOf(a) || a.length - b.length)[0];
    if (nearest !== undefined && nearest.length > 0) return nearest.flatMap((inner) => describe(inner, path));
  }
  return [`/${path.map(String).join('/')}: ${issue.message}`];
}

/** How far into the value a form could be followed before it failed. */
function depthOf(issues: readonly Issue[]): number {
  return Math.min(...issues.map((issue) => (issue.code === 'unrecognized_keys' ? 1 : issue.path.length)));
}
