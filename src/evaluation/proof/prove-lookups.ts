/** Finds checkers that demand a look-up before a change, and take one that can have told the subject nothing of it. */
import { createProblem } from '../../scenario/attribution/problem-code.ts';
import type { BusinessRule, Design } from '../../scenario/design.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';
import type { Problem } from '../../scenario/result.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import { getComponentPath } from '../components/components.ts';
import { withEvents, type TrialEvent } from '../components/trial-record.ts';
import { createAsker, type ProvenGold, type WordsInput } from './prove-consent-rules.ts';
import { foldKey, listRecords } from './relations/world-records.ts';

/** The parts of a gold path in which tools that only read come before the change that a rule is about. */
type LookedUp = {
  gold: ProvenGold;
  change: TrialEvent & { type: 'call' };
  lookups: TrialEvent[];
  others: TrialEvent[];
};

/** The most gold paths of one changing tool that are tried for one checker. */
const MOST_GOLDS = 3;

export async function findUnheardLookups(
  { components, design, golds }: WordsInput,
  session: OpenSandbox,
  signal: AbortSignal,
): Promise<Problem[]> {
  const ask = createAsker(components, session, signal);
  const problems: Problem[] = [];
  for (const rule of design.rules.rules) {
    for (const checker of components.checkers.filter(({ rules }) => rules.includes(rule.id))) {
      const listing = golds.filter(({ loaded: { sample } }) => sample.checkers.includes(checker.id));
      const byTool = Map.groupBy(listLookedUp(rule, design, listing), ({ change }) => change.tool);
      const found = [...byTool.values()].flatMap((same) => same.slice(0, MOST_GOLDS));
      const isRefused = ({ gold }: LookedUp, events: TrialEvent[]) => ask(checker, gold, withEvents(gold.gold, events));
      const demanding: LookedUp[] = [];
      for (const one of found) if (await isRefused(one, one.others)) demanding.push(one);
      const report = ({ gold: { loaded } }: LookedUp, what: string): void => {
        const at = getComponentPath(components.paths, 'checkers', checker.id);
        const message = `${at}: it names ${rule.id}, demands a look-up first, and accepts the gold path of ${loaded.sample.id} ${what}`;
        problems.push(createProblem('checker-ignores-order', checker.id, message));
      };
      const open = found.find(({ change }) => demanding.every((one) => one.change.tool !== change.tool));
      if (demanding.length > 0 && open !== undefined)
        report(open, `without any before ${open.change.tool}, which ${rule.id} is about too`);
      for (const [what, vary] of Object.entries(VARIATIONS)) {
        const varied = demanding.map((one) => ({ one, events: vary(one) }));
        const tried = varied.filter(({ one, events }) => events.length > one.others.length);
        const refusals = await Promise.all(tried.map(({ one, events }) => isRefused(one, events)));
        if (tried[0] !== undefined && !refusals.includes(true)) report(tried[0].one, what);
      }
    }
  }
  return problems;
}

function listLookedUp(
  { applies_to: tools }: BusinessRule,
  { format }: Design,
  golds: readonly ProvenGold[],
): LookedUp[] {
  const isOf = (event: TrialEvent, changes: boolean): event is LookedUp['change'] =>
    event.type === 'call' &&
    tools.includes(event.tool) &&
    format.tools.some(({ name, changes_world }) => name === event.tool && changes_world === changes);
  return golds.flatMap((gold): LookedUp[] => {
    const { events = [] } = gold.gold;
    const first = events.findIndex((event) => isOf(event, true) && event.change.length > 0);
    const change = events[first];
    const lookups: TrialEvent[] = events.filter((event) => isOf(event, false));
    if (change?.type !== 'call' || lookups.length === 0) return [];
    if (lookups.some((event) => events.indexOf(event) > first)) return [];
    return [{ gold, change, lookups, others: events.filter((event) => !lookups.includes(event)) }];
  });
}

/** Each leaves the acts as they are, and makes the look-up useless to them; it gives no more than the others where it cannot. */
const VARIATIONS: Readonly<Record<string, (one: LookedUp) => TrialEvent[]>> = {
  'where it comes after the change': ({ lookups, others }) => {
    const change = others.findLastIndex((event) => event.type === 'call' && event.change.length > 0);
    return others.toSpliced(change + 1, 0, ...lookups).map((event, step) => ({ ...event, step }));
  },
  'where it is refused': ({ gold, lookups }) =>
    (gold.gold.events ?? []).map((event) =>
      event.type === 'call' && lookups.includes(event) && isJsonObject(event.output) && event.output['ok'] === true
        ? { ...event, output: { ok: false } }
        : event,
    ),
  'where it is about another record': ({ gold: { gold }, change, lookups, others }) => {
    const given = Object.values(change.input).map(foldKey);
    const records = listRecords(gold.before);
    const asked = records.find(({ key }) => given.includes(foldKey(key)));
    const other = records.find(({ collection, key }) => collection === asked?.collection && key !== asked.key);
    if (asked === undefined || other === undefined) return others;
    return (gold.events ?? []).map((event) =>
      lookups.includes(event) ? renameRecord(event, asked.key, other.key) : event,
    );
  },
};

function renameRecord(event: TrialEvent, from: string, to: string): TrialEvent {
  const text = JSON.stringify(event).replaceAll(JSON.stringify(from), () => JSON.stringify(to));
  return JSON.parse(text) as TrialEvent;
}
