/** Who somebody is: a secret that is a little wrong never shows it. */
import { sameJson } from '../../../scenario/json/json-value.ts';
import type { ToolCall } from '../../components/call-tool.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { tryCall, type ObservedCall, type Relation } from './observed-calls.ts';
import { findAsked, foldKey, listLeaves } from './world-records.ts';

/** Spoilt spellings of an argument, which all must be refused like a wholly wrong one. */
export const findLooseIdentity: Relation = async (observed, signal) => {
  const { call, world } = observed;
  const args = Object.entries(call.input).filter(([, value]) => typeof value === 'string');
  if (!isIdentification(observed) || args.length < 2) return undefined;
  const nonsense = Object.fromEntries(args.map(([name]) => [name, 'qz-0']));
  const refused = await tryCall(observed, { args: { ...call.input, ...nonsense } }, signal);
  if (refused === undefined || identifies(refused, observed)) return undefined;
  const { named } = findAsked(call.input, world);
  for (const [name, value] of args) {
    const text = String(value);
    for (const [kind, spoilt] of spoilText(text, otherValues(text, observed))) {
      // A record that is itself named otherwise is another one, and may well be identified.
      if (named.some(({ key }) => foldKey(key) === foldKey(text))) continue;
      const answer = await tryCall(observed, { args: { ...call.input, [name]: spoilt } }, signal);
      if (answer === undefined) continue;
      const given = `${describeCall(call)} with ${name} ${JSON.stringify(spoilt)}`;
      if (identifies(answer, observed)) return `it takes somebody for ${kind}: ${given} succeeds as well`;
      if (listLeaves(answer.output).some((told) => foldKey(told.value) === foldKey(text)))
        return `it tells what only the right person knows: ${given} is answered with ${JSON.stringify(text)}`;
    }
  }
  return undefined;
};

/** A tool that writes, outside all records, who somebody is: the key of a record that its arguments lead to. */
function isIdentification({ call, world }: ObservedCall): boolean {
  const { related } = findAsked(call.input, world);
  const keys = new Set(related.map(({ key }) => foldKey(key)));
  return call.change.some(
    (one) =>
      'value' in one &&
      one.op === 'replace' &&
      keys.has(foldKey(one.value)) &&
      !related.some(({ path }) => one.path.startsWith(path)),
  );
}

function identifies(answer: ToolCall, { call }: ObservedCall): boolean {
  const sets = call.change.filter((one) => 'value' in one && typeof one.value === 'string');
  return sets.length > 0 && sets.every((one) => answer.change.some((other) => sameJson(other, one)));
}

function spoilText(text: string, others: readonly string[]): [string, string][] {
  const spoilt: [string, string][] = [
    ['the beginning of what is asked', text.slice(0, -1)],
    ['nothing at all', ''],
    ['more than what is asked', `${text}0`],
    ...others.slice(0, 2).map((one): [string, string] => ['what belongs to another', one]),
  ];
  return spoilt.filter(([, one]) => foldKey(one) !== foldKey(text));
}

/** What other records of the same kind have where the asked one has this text. */
function otherValues(text: string, { call, world }: ObservedCall): string[] {
  const { related, others } = findAsked(call.input, world);
  return related.flatMap((record) =>
    Object.entries(record.value)
      .filter(([, value]) => foldKey(value) === foldKey(text))
      .flatMap(([field]) =>
        [...others, ...related]
          .filter((other) => other !== record && other.collection === record.collection)
          .map(({ value }) => value[field])
          .filter((value): value is string => typeof value === 'string'),
      ),
  );
}
