/** Makes gold conversations with words removed or reversed: a checker of consent that accepts one does not listen. */
import { detectLanguage } from '../scripted-user/languages.ts';
import { saysNo, saysYes } from '../scripted-user/sentences.ts';
import { withEvents, type TrialEvent, type TrialRecord } from '../components/trial-record.ts';

export type WordMutant = {
  kind: 'not-asked' | 'not-answered' | 'refused' | 'asked-too-late' | 'other-amount';
  /** The tool whose change needs the words. */
  tool: string;
  /** The events of the mutant in words, to follow "it accepts that". */
  title: string;
  played: TrialRecord;
};

/** The subject asks, the user answers, and next the subject changes something. */
type Exchange = { asked: number; answered: number; written: number };

const MOST_EXCHANGES = 3;

/** The tools whose changes need the words; undefined for all tools. */
export type ConcernedTools = ReadonlySet<string> | undefined;

/** What the users of a scenario answer before something is changed, and where nothing is changed after it. */
export type OwnAnswers = { yes: readonly string[]; no: readonly string[] };

/** Gold's own words say yes and no in languages that nobody has taught the harness. */
export function listOwnAnswers(golds: readonly TrialRecord[], tools?: ConcernedTools): OwnAnswers {
  const usual = listUsualChanges(golds, tools);
  const answers = golds.flatMap(({ events = [] }) => {
    const writes = events.findIndex((event) => changesWorld(event, tools));
    // Where another tool changes something that not every yes goes with, the answer before it was no refusal.
    const isOther = (event: TrialEvent): boolean =>
      changesWorld(event, undefined) && event.type === 'call' && !usual.has(event.tool);
    if (writes < 0 && events.some(isOther)) return [];
    const exchanges = exchangesIn(events, tools).map(({ answered }) => answered);
    return events.flatMap((event, index) => {
      const isAnswer = event.type === 'user' && index > 0 && events[index - 1]?.type === 'says';
      if (!isAnswer || (writes >= 0 && !exchanges.includes(index))) return [];
      const asked = events[index - 1];
      const isQuestion = asked?.type === 'says' && /[?？]/.test(asked.text);
      return writes >= 0 || isQuestion ? [{ isYes: writes >= 0, text: event.text }] : [];
    });
  });
  const [yes, no] = [true, false].map((is) => answers.filter(({ isYes }) => isYes === is).map(({ text }) => text));
  return { yes: [...new Set(yes)], no: [...new Set(no)] };
}

/** The tools that change something in all gold paths with a change of the concerned ones, such as one that identifies. */
function listUsualChanges(golds: readonly TrialRecord[], tools: ConcernedTools): ReadonlySet<string> {
  const changing = golds
    .filter(({ events = [] }) => events.some((event) => changesWorld(event, tools)))
    .map(({ calls }) => new Set(calls.flatMap(({ tool, change }) => (change.length > 0 ? [tool] : []))));
  return new Set([...(changing[0] ?? [])].filter((tool) => changing.every((one) => one.has(tool))));
}

/** For each exchange before a change: it never happened, nobody answered, the yes was a no, it came too late. */
export function wordMutants(gold: TrialRecord, tools?: ConcernedTools, no?: string): WordMutant[][] {
  const events = gold.events ?? [];
  return exchangesIn(events, tools)
    .slice(-MOST_EXCHANGES)
    .map(({ asked, answered, written }): WordMutant[] => {
      const [question, answer, call] = [events[asked], events[answered], events[written]];
      if (question?.type !== 'says' || answer?.type !== 'user' || call?.type !== 'call') return [];
      const mutant = (kind: WordMutant['kind'], title: string, changed: TrialEvent[]): WordMutant => {
        return { kind, tool: call.tool, title, played: withEvents(gold, changed) };
      };
      const what = `${call.tool} is called`;
      const without = (...places: number[]): TrialEvent[] => events.filter((_, index) => !places.includes(index));
      const isYes = saysYes(answer.text);
      const refusal = isYes ? detectLanguage(answer.text).refusal : (no ?? '');
      const other = changeAmount(question.text, call);
      const refused = events.with(answered, { ...answer, text: refusal });
      const late = [...events.slice(0, written + 1), question, answer, ...events.slice(written + 1)];
      const moved = late.filter((_, index) => index !== asked && index !== answered);
      return [
        mutant('not-asked', `${what} and "${question.text}" was never said`, without(asked, answered)),
        mutant('not-answered', `${what} and nobody answered "${question.text}"`, without(answered)),
        ...(isYes || no !== undefined
          ? [mutant('refused', `${what} although the user said "${refusal}" instead of "${answer.text}"`, refused)]
          : []),
        mutant('asked-too-late', `${what} before "${question.text}" was said`, moved),
        ...(other === undefined
          ? []
          : [mutant('other-amount', `${what} after "${other}"`, events.with(asked, { ...question, text: other }))]),
      ];
    });
}

/** The last exchange before a change, to be said with another answer. */
export function findExchange(
  gold: TrialRecord,
  tools?: ConcernedTools,
): { asked: string; answer: string; withAnswer: (text: string) => TrialRecord } | undefined {
  const { events = [] } = gold;
  const [exchange] = exchangesIn(events, tools).slice(-1);
  const answer = exchange && events[exchange.answered];
  const question = exchange && events[exchange.asked];
  if (exchange === undefined || answer?.type !== 'user' || question?.type !== 'says') return undefined;
  const withAnswer = (text: string) => withEvents(gold, events.with(exchange.answered, { ...answer, text }));
  return { asked: question.text, answer: answer.text, withAnswer };
}

/** The question with another amount, where it names one that the call books; undefined where it names none. */
function changeAmount(question: string, { input }: TrialEvent & { type: 'call' }): string | undefined {
  const booked = Object.values(input).filter((value) => typeof value === 'number' && Math.abs(value) >= 10) as number[];
  const changed = question.replaceAll(/\d+(?:[.,]\d{2})?/g, (written) => {
    const value = Number(written.replace(',', '.'));
    return booked.some((one) => one === value || one === Math.round(value * 100))
      ? written.replaceAll(/\d/g, (digit) => String((Number(digit) + 3) % 10))
      : written;
  });
  return changed === question ? undefined : changed;
}

/** True when the listed path says anything between the first words and the last. */
export function hasWords({ events = [] }: TrialRecord): boolean {
  return events.some((event, index) => event.type === 'user' && index > 0);
}

function exchangesIn(events: readonly TrialEvent[], tools: ConcernedTools): Exchange[] {
  return events.flatMap((event, answered): Exchange[] => {
    if (event.type !== 'user' || answered === 0) return [];
    const asked = events.findLastIndex((one, index) => index < answered && one.type === 'says');
    const next = events.findIndex(
      (one, index) => index > answered && (one.type === 'user' || changesWorld(one, tools)),
    );
    return asked < 0 || events[next]?.type !== 'call' ? [] : [{ asked, answered, written: next }];
  });
}

/**
 * Adds a question and its answer before the first change: a checker that rejects a refusal there listens to the user, and a
 * gold path that was rejected only for missing words passes with an agreement.
 */
export function withExchange(
  gold: TrialRecord,
  answer: 'refusal' | 'agreement',
  tools?: ConcernedTools,
): TrialRecord | undefined {
  const events = gold.events ?? [];
  const written = events.findIndex((event) => changesWorld(event, tools));
  const call = events[written];
  if (call?.type !== 'call') return undefined;
  const { step } = call;
  const later = events.slice(written).map((one) => ({ ...one, step: one.step + 1 }));
  const first = events.find(({ type }) => type === 'user');
  const { asks, refusal, agreements } = detectLanguage(first?.type === 'user' ? first.text : '');
  const question: TrialEvent = { type: 'says', step, text: `${asks} (${call.tool})` };
  const text = answer === 'refusal' ? refusal : (agreements[0] ?? '');
  return withEvents(gold, [...events.slice(0, written), question, { type: 'user', step, text }, ...later]);
}

/** The gold path with words that it may lack, and answers that its user knows: a checker that accepts one of these refuses the words, and not the acts. */
export function mendWords(gold: TrialRecord, known: readonly string[]): TrialRecord[] {
  const exchange = findExchange(gold);
  const agreement = detectLanguage(exchange?.answer ?? '').agreements[0] ?? '';
  const answers = [...(saysNo(exchange?.answer ?? '') ? [agreement] : []), ...known];
  const asked = hasWords(gold) ? undefined : withExchange(gold, 'agreement');
  return [
    ...(asked === undefined ? [] : [addAmounts(asked)]),
    ...answers.flatMap((text) =>
      exchange === undefined || text === exchange.answer ? [] : [exchange.withAnswer(text)],
    ),
    addAmounts(gold),
    ...askEarlier(gold),
  ];
}

/** Adds to all words the numbers that the calls are given, as they are and as amounts in cents, in both notations. */
function addAmounts(gold: TrialRecord): TrialRecord {
  const numbers = gold.calls.flatMap(({ input }) => Object.values(input)).filter((one) => typeof one === 'number');
  const amounts = numbers.map(
    (one) => `${(one / 100).toFixed(2)} = ${(one / 100).toFixed(2).replace('.', ',')} = ${one}`,
  );
  const { events = [] } = gold;
  const named = events.map((event) =>
    event.type === 'says' ? { ...event, text: [event.text, ...amounts].join(' ') } : event,
  );
  return withEvents(gold, named);
}

/** Each question and its answer that come after a change, before all of them. */
function askEarlier(gold: TrialRecord): TrialRecord[] {
  const events = gold.events ?? [];
  const written = events.findIndex((event) => changesWorld(event, undefined));
  const late = events.flatMap((event, index) =>
    event.type === 'user' && index > written && written >= 0 ? [index] : [],
  );
  return late.map((index) => {
    const [pair, rest] = [events.slice(index - 1, index + 1), events.toSpliced(index - 1, 2)];
    return withEvents(gold, rest.toSpliced(written, 0, ...pair));
  });
}

function changesWorld(event: TrialEvent, tools: ConcernedTools): boolean {
  if (event.type !== 'call' || event.by !== undefined || event.change.length === 0) return false;
  return tools === undefined || tools.has(event.tool);
}
