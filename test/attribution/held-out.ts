/** Plain faults for a scenario that no rule of attribution was made with: the Python components of clinic-booking. */
import type { Ground } from './measure.ts';
import { editSample, textOf, type Injection, type RawSample } from './injection.ts';

/** Puts code around a function; `_inner(...)` is what it did. */
function wrapPython(path: string, signature: string, body: string): NonNullable<Injection['change']> {
  return (files) => {
    const text = textOf(files, path);
    const name = signature.replace(/\(.*/, '');
    if (!text.includes(`def ${name}(`)) throw new Error(`${path} has no ${name}`);
    files.set(path, `${text.replace(`def ${name}(`, 'def _inner(')}\n\ndef ${signature}:\n    ${body}\n`);
  };
}

/** Every `step`-th of them. */
const some = <T>(all: readonly T[], step: number): T[] => all.filter((_, index) => index % step === 0);

export function heldOutFaults({ files, design }: Ground): Injection[] {
  const checkers = [...files.keys()].flatMap((path) => /^checkers\/(.+)\.py$/.exec(path)?.[1] ?? []);
  const samples = [...files.keys()].flatMap((path) => /^samples\/([^/]+)\.json$/.exec(path)?.[1] ?? []);
  const { tools } = design.format;
  const writers = tools.filter((tool) => tool.changes_world);
  const tool = (kind: string, name: string, body: string): Injection => ({
    layer: 2,
    kind,
    name,
    change: wrapPython(`tools/${name}.py`, 'run(input, world)', body),
  });
  const checker = (kind: string, name: string, body: string): Injection => ({
    layer: 3,
    kind,
    name,
    change: wrapPython(`checkers/${name}.py`, 'check(ctx)', body),
  });
  const sample = (kind: string, name: string, edit: (one: RawSample) => void): Injection => ({
    layer: 4,
    kind,
    name,
    change: editSample(name, edit),
  });
  const subject = (kind: string, name: string, plan: NonNullable<Injection['plan']>): Injection => ({
    layer: 4,
    kind,
    name,
    plan: (one) => (one.id === name ? plan(one) : { calls: one.gold, says: one.gold_says }),
  });
  return [
    ...some(tools, 2).map(({ name }) => tool('throws', name, "raise ValueError('the system is down')")),
    ...writers.map(({ name }) =>
      tool('loses its change', name, "return _inner(input, __import__('copy').deepcopy(world))"),
    ),
    ...some(tools, 5).map(({ name }) =>
      tool('answers by chance', name, "return {**_inner(input, world), 'at': __import__('random').random()}"),
    ),
    ...checkers.map((id) =>
      checker('accepts everything', id, "return {'pass': True, 'reason': 'fine', 'evidence': []}"),
    ),
    ...some(checkers, 3).map((id) =>
      checker('refuses everything', id, "return {'pass': False, 'reason': 'no', 'evidence': []}"),
    ),
    ...some(checkers, 4).map((id) => checker('throws', id, "return ctx['nothing']")),
    ...some(samples, 5).map((id) =>
      sample('expects an end that cannot be', id, (one) => {
        if (one.expect.end_state !== 'unchanged')
          one.expect.end_state.patch.push({ op: 'add', path: '/approved', value: true });
      }),
    ),
    ...some(samples, 7).map((id) => sample('its gold path stops early', id, (one) => void one.gold.pop())),
    ...some(samples, 6).map((id) =>
      subject('takes the wrong path', id, (one) => ({ calls: one.wrong, says: one.wrong_says })),
    ),
    ...some(samples, 8).map((id) => subject('does nothing', id, () => ({ calls: [], says: 'How may I help?' }))),
  ];
}
