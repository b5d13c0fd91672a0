/** Notes on what nothing proves: rules that keep the target from being met or that a person took, and statements that no model read. */
import type { Results } from '../../scenario/result.ts';
import { formatCount } from '../text/number-format.ts';
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
  const notes: UnprovenNote[] = earlier === undefined ? [] : [{ ...warn, text: `${earlier}.` }];
  if (open.length > 0) {
    const text = `${list(open)}. No target is met without a proof of every rule. A person may take one as it is, by its name and a reason: unproven: { ${open[0]?.rule}: why } in scenario.yaml.`;
    notes.push({ ...warn, about: names(open), text });
  }
  if (allowed.length > 0) {
    const text = `${list(allowed)}. scenario.yaml takes ${reasons} without a proof.`;
    notes.push({ ...warn, title: 'NOT PROVEN, ALLOWED', about: names(allowed), text });
  }
  return notes;
}

/** Says that false statements may have passed, because no model has read them. */
export function statementsNote({ samples }: Results): UnprovenNote | undefined {
  const unread = samples.flatMap(({ trials }) => trials.filter(({ statementsUnread }) => statementsUnread === true));
  if (unread.length === 0) return undefined;
  const text = `Code alone has read what the agent said in ${formatCount(unread.length, 'trial')}, because no model that reads statements answered: what code cannot judge is not judged, and one that is untrue may have passed.`;
  return { tone: 'warn', title: 'STATEMENTS UNREAD', text };
}
