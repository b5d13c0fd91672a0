/** Notes on the rules that nothing proves: those that keep the target from being met, and those that a person took. */
import type { Results } from '../../scenario/result.ts';
import { describeUnproven } from './verification-markdown.ts';

type UnprovenNote = { tone: 'warn'; title: string; text: string; about?: string };

/** Older results name the rules about consent that no proof covers, and their target was met without it. */
export function listUnprovenNotes(results: Results): UnprovenNote[] {
  const { unproven = [], verification } = results;
  const warn = { tone: 'warn' as const, title: 'NOT PROVEN' };
  const earlier = results.unproven === undefined ? describeUnproven(verification) : undefined;
  const open = unproven.filter(({ allowed }) => allowed === undefined);
  const allowed = unproven.filter((one) => one.allowed !== undefined);
  const list = (some: typeof unproven) => some.map(({ rule, why }) => `${rule}: ${why}`).join('; ');
  const names = (some: typeof unproven) => some.map(({ rule }) => rule).join(', ');
  const reasons = allowed.map((one) => `${one.rule} (${one.allowed})`).join(', ');
  return [
    ...(earlier === undefined ? [] : [{ ...warn, text: `${earlier}.` }]),
    ...(open.length === 0
      ? []
      : [
          {
            ...warn,
            about: names(open),
            text: `${list(open)}. No target is met without a proof of every rule. A person may take one as it is, by its name and a reason: unproven: { ${open[0]?.rule}: why } in scenario.yaml.`,
          },
        ]),
    ...(allowed.length === 0
      ? []
      : [
          {
            ...warn,
            title: 'NOT PROVEN, ALLOWED',
            about: names(allowed),
            text: `${list(allowed)}. scenario.yaml takes ${reasons} without a proof.`,
          },
        ]),
  ];
}
