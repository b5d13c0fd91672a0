/** Guards of tools that no path of a sample comes to, by file and line: nothing shows what they refuse. */
import { GUARD_UNREACHED, type Finding } from '../../../../scenario/proof-strength.ts';
import type { TriedComponent } from '../summarise-strength.ts';

export function findUnreachedGuards(tried: readonly TriedComponent[]): Finding[] {
  return tried.flatMap(({ folder, name, path, mutants = [] }): Finding[] => {
    if (folder !== 'tools') return [];
    const open = mutants.flatMap(({ guard, kind, outcome }) =>
      guard === undefined || outcome !== 'survived' ? [] : [{ ...guard, isWhole: kind === 'empty-branch' }],
    );
    // Where nothing is refused at all, the parts of the condition say no more.
    const whole = new Set(open.filter(({ isWhole }) => isWhole).map(({ line }) => line));
    const guards = open.filter(({ isWhole, line }) => isWhole || !whole.has(line));
    if (guards.length === 0) return [];
    const named = guards.map(({ line, says }) => `line ${line}: ${says}`);
    const message = `${path}: no path of a sample comes to what it refuses: ${named.join('; ')}. Let a gold or wrong path come there`;
    return [{ code: GUARD_UNREACHED, component: name, message }];
  });
}
