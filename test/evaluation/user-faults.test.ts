/** Faults of a user that a model plays or chooses, seeded into whole trials: none may count against the subject. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { ModelResponse } from '../../src/ports/model.ts';
import type { Results } from '../../src/scenario/result.ts';
import { call, facts, say } from '../support/responses.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { briefWith, evaluateLamps } from './evaluate-lamps.ts';
import { turnOn } from './lamps.ts';

/** `states` asks for nothing, `raises` asks for a yes to what the sample does not hold. */
const LANGUAGES = {
  english: {
    ...{ first: 'It is dark here.', room: 'the hall', asks: 'In which room?', states: 'I am looking at the lamps.' },
    ...{ raises: 'That costs 45 EUR. Do you agree?', done: 'The hall lamp is on.', thanks: 'Thank you.' },
    ...{
      zip: 'My zip code is 90210.',
      yes: 'Yes, please do it.',
      offers: 'Is there anything else I can help you with?',
    },
  },
  german: {
    ...{
      first: 'Hier ist es dunkel.',
      room: 'der Flur',
      asks: 'In welchem Raum?',
      states: 'Ich sehe mir die Lampen an.',
    },
    ...{ raises: 'Das kostet 45 EUR. Sind Sie einverstanden?', done: 'Die Lampe im Flur ist an.', thanks: 'Danke.' },
    ...{ zip: 'Meine Postleitzahl ist 90210.', yes: 'Ja, bitte.', offers: 'Kann ich sonst noch etwas für Sie tun?' },
  },
  chinese: {
    ...{ first: '这里很暗。', room: '走廊', asks: '在哪个房间？', states: '我正在查看灯。' },
    ...{ raises: '费用是45元。您同意吗？', done: '走廊的灯开了。', thanks: '谢谢。' },
    ...{ zip: '我的邮编是90210。', yes: '好的，请开。', offers: '还有什么可以帮您的吗？' },
  },
  turkish: {
    ...{ first: 'Burası karanlık.', room: 'Koridorda.', asks: 'Hangi odada?', states: 'Lambalara bakıyorum.' },
    ...{
      raises: 'Bunun ücreti 45 EUR. Kabul ediyor musunuz?',
      done: 'Koridorun lambası açık.',
      thanks: 'Teşekkürler.',
    },
    // No pattern of this language is known, so an agent's words are known by their repetition alone.
    ...{ zip: 'Posta kodum 90210.', yes: 'Evet, olur.', offers: 'Hangi odada?' },
  },
} as const;
type Words = Record<keyof (typeof LANGUAGES)['english'], string>;

/** What the subject says first, the bad answer, and one that is right. */
type Seed = { hears: string; bad: ModelResponse; good: ModelResponse };
const choose = (move: string, quote: string) => call('choose_moves', { moves: [{ move, quote }] });
const tellRoom = ({ asks }: Words) => choose('tell:room', asks);

const SEEDS: Record<string, Record<'model' | 'auto', (words: Words) => Seed>> = {
  'early end': {
    model: ({ asks, room }) => ({ hears: asks, bad: say('[end]'), good: say(room) }),
    auto: (words) => ({ hears: words.asks, bad: choose('end', ''), good: tellRoom(words) }),
  },
  'invented fact': {
    model: ({ asks, room, zip }) => ({ hears: asks, bad: say(zip), good: say(room) }),
    auto: (words) => ({ hears: words.asks, bad: choose('tell:zip code', words.asks), good: tellRoom(words) }),
  },
  'wrong yes': {
    model: ({ states, yes, thanks }) => ({ hears: states, bad: say(yes), good: say(thanks) }),
    auto: ({ raises }) => ({ hears: raises, bad: choose('agree', raises), good: choose('refuse', raises) }),
  },
  'early reveal': {
    model: ({ states, room, thanks }) => ({ hears: states, bad: say(room), good: say(thanks) }),
    auto: ({ states }) => ({ hears: states, bad: choose('tell:room', states), good: choose('wait', '') }),
  },
  'roles swapped': {
    model: ({ asks, room, offers }) => ({ hears: asks, bad: say(offers), good: say(room) }),
    auto: (words) => ({ hears: words.asks, bad: say(words.offers), good: tellRoom(words) }),
  },
  'leaked thinking': {
    model: ({ asks, room }) => ({ hears: asks, bad: say(`<thinking>${asks}</thinking> ${room}`), good: say(room) }),
    auto: (words) => {
      const bad = choose('tell:room', `<thinking>${words.asks}</thinking>`);
      return { hears: words.asks, bad, good: tellRoom(words) };
    },
  },
};

/** In a language that no rule reads, a statement cannot be told from a request without a mark, nor a yes from another word. */
const UNREAD = ['wrong yes, turkish, model', 'early reveal, turkish, model', 'early reveal, turkish, auto'];

/** `right` and `wrong`: the fault is mended at the second asking, and the subject does the right act or none. */
const ENDINGS = ['right', 'wrong', 'stays'] as const;
type Cell = Seed & { id: string; name: string; by: 'model' | 'auto'; words: Words; ending: (typeof ENDINGS)[number] };

const CELLS = Object.entries(SEEDS).flatMap(([fault, plays]) =>
  Object.entries(LANGUAGES).flatMap(([language, words]) =>
    (['model', 'auto'] as const).flatMap((by) =>
      ENDINGS.map((ending): Cell => {
        const name = `${fault}, ${language}, ${by}`;
        const id = `${name}, ${ending}`.replaceAll(/\W+/g, '-');
        return { id, name, by, words, ending, ...plays[by](words) };
      }),
    ),
  ),
);

/** The fourth answer of a user whose fault stays would be good: it must not be asked for. */
function answersOf({ by, bad, good, ending }: Cell): ModelResponse[] {
  const last = by === 'model' ? say('[end]') : choose('end', '');
  return ending === 'stays' ? [bad, bad, bad, good, last, last, last] : [bad, good, last, last, last];
}

function subjectOf({ hears, words, ending }: Cell) {
  const acts = ending === 'wrong' ? [] : [call('switch_lamp', { id: 'hall', on: true })];
  return scriptedModel([say(hears), ...acts, ...Array.from({ length: 4 }, () => say(words.done))]);
}

const sampleOf = ({ id, by, words }: Cell) => ({
  ...turnOn,
  ...{ id, user: { simulator: by, says_first: words.first, knows: { room: words.room } } },
  expect: { ...turnOn.expect, must_say: [{ any: [words.done] }] },
  gold_says: words.done,
});

type Played = { results: Results; told: Map<string, string> };
let playing: Promise<Played> | undefined;
const playOnce = (): Promise<Played> => (playing ??= playAll());

async function playAll(): Promise<Played> {
  const cells = new Map(CELLS.map((cell) => [cell.id, cell]));
  const find = (lane: string): Cell => cells.get(lane.slice(lane.indexOf('/') + 1, -'.1'.length)) as Cell;
  const settings = { name: 'small', maxTokens: 500, price: facts().price };
  const modelFor = (lane: string) => scriptedModel(answersOf(find(lane)));
  const read = (name: string) => readFile(`prompts/${name}.md`, 'utf8');
  const files = Object.fromEntries(CELLS.map((cell) => [`samples/${cell.id}.json`, sampleOf(cell)]));
  const played = await evaluateLamps({
    files: { 'samples/turn-on.json': undefined, 'samples/locked-lamp.json': undefined, ...files },
    brief: briefWith({ user: { simulator: 'auto', model: 'small' } }),
    modelFor: (lane) => subjectOf(find(lane)),
    userModel: { ...settings, prompt: await read('user_simulator'), modelFor },
    chooserModel: { ...settings, prompt: await read('user_chooser'), modelFor },
  });
  const lines = CELLS.map(async ({ id }) => [id, JSON.stringify(await played.linesOf(`${id}.1`))] as const);
  return { results: played.results, told: new Map(await Promise.all(lines)) };
}

const resultOf = ({ results }: Played, { id }: Cell) => {
  const sample = results.samples.find((one) => one.id === id);
  return { cause: sample?.cause, ...sample?.trials[0] };
};
const judged = CELLS.filter(({ name }) => !UNREAD.includes(name));
const listBad = (cells: readonly Cell[], isBad: (result: ReturnType<typeof resultOf>, cell: Cell) => boolean) =>
  playOnce().then((played) =>
    cells
      .filter((cell) => isBad(resultOf(played, cell), cell))
      .map((cell) => `${cell.id}: ${JSON.stringify(resultOf(played, cell))}`),
  );

test('a fault that is mended at the second asking leaves the verdict of the subject', async () => {
  const mended = judged.filter(({ ending }) => ending !== 'stays');
  expect(mended).toHaveLength(90);
  const bad = await listBad(mended, ({ outcome, stop, cause }, { ending }) =>
    ending === 'right' ? outcome !== 'pass' || stop !== 'done' : outcome !== 'fail' || cause !== '4b',
  );
  expect(bad).toEqual([]);
  const { told } = await playOnce();
  for (const { id, bad: answer, by } of mended) {
    const [block] = answer.content;
    if (by === 'model' && block?.type === 'text' && block.text !== '[end]')
      expect(told.get(id), id).not.toContain(`"type":"user","step":1,"text":${JSON.stringify(block.text)}`);
  }
});

test('a fault that stays leaves the trial unscored for its user, with the question and the reason', async () => {
  const stays = judged.filter(({ ending }) => ending === 'stays');
  expect(stays).toHaveLength(45);
  const bad = await listBad(
    stays,
    ({ outcome, stop, cause, unanswered = '' }, { hears }) =>
      outcome !== 'unscored' || stop !== 'no_move' || cause === '4b' || !unanswered.startsWith(`${hears} (`),
  );
  expect(bad).toEqual([]);
});

test('what no rule reads is let through, and blames the subject for nothing that it did right', async () => {
  const unread = CELLS.filter(({ name, ending }) => UNREAD.includes(name) && ending === 'right');
  const played = await playOnce();
  expect(unread.map((cell) => resultOf(played, cell).outcome)).toEqual(['pass', 'pass', 'pass']);
});
