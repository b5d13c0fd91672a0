/** Dual control: which tools are in the user's hands and which in the subject's. */
import type { FormatSpec } from './design.ts';

export function userToolsOf({ tools }: Pick<FormatSpec, 'tools'>): ReadonlySet<string> {
  return new Set(tools.filter(({ by }) => by === 'user').map(({ name }) => name));
}
