/** Conversations made from a seed: the shapes that break compaction, each with facts that must be remembered. */
import type { MessageEntry } from '../../src/transcript/entry.ts';
import type { Block, Message } from '../../src/transcript/message.ts';
import { estimateMessages, estimateText } from '../../src/transcript/tokens.ts';
import { seeded, type Random } from './random.ts';

export type BenchScenario = {
  name: string;
  messages: MessageEntry[];
  /** Said in the first part of the conversation, needed to its end. */
  facts: string[];
  window: number;
  maxOutput: number;
  /** Estimated tokens of system prompt and tools. */
  fixed: number;
};

export const QUICK = ['agent-run', 'chat', 'pending-call', 'huge-tail', 'chinese'] as const;
export const SCENARIOS = [...QUICK, 'images', 'cost-400', 'million'] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

const WINDOW = 200_000;
/** Enough for five compactions at three quarters of the window. */
const LONG = 720_000;

export function makeScenario(name: ScenarioName): BenchScenario {
  const random = seeded(SCENARIOS.indexOf(name) + 1);
  const base = { name, window: WINDOW, maxOutput: 16_000, fixed: 10_000 };
  switch (name) {
    case 'agent-run':
      return { ...base, ...agentRun(random, LONG, {}) };
    case 'chat':
      return { ...base, ...chat(random) };
    case 'pending-call':
      return { ...base, ...agentRun(random, LONG, { pendingEvery: 25 }) };
    case 'huge-tail':
      return { ...base, ...agentRun(random, LONG, { hugeAt: [35, 110] }) };
    case 'chinese':
      return { ...base, ...agentRun(random, LONG, { chinese: true }) };
    case 'images':
      return { ...base, ...agentRun(random, LONG, { images: true }) };
    case 'cost-400':
      return { ...base, ...costRun() };
    case 'million':
      return { ...base, window: 1_000_000, ...agentRun(random, 1_000_000, { small: true }) };
  }
}

type Shape = { pendingEvery?: number; hugeAt?: number[]; chinese?: boolean; images?: boolean; small?: boolean };

/** One prompt, then tool calls to the end: no turn ever ends where a cut would be easy. */
function agentRun(random: Random, tokens: number, shape: Shape) {
  const log = createLog();
  const fact = (n: number) => `FACT-${n}-${(0x1000 + n * 977).toString(16)}`;
  const facts = Array.from({ length: 8 }, (_, n) => fact(n));
  log.human(
    shape.chinese === true
      ? `请重构整个仓库，目标编号 ${fact(0)}。约束：绝不修改 ${fact(1)} 目录。完成后写报告。`
      : `Refactor the whole repository; the goal is tracked as ${fact(0)}. Never touch the folder ${fact(1)}. Write a report at the end.`,
  );
  const planted: Record<number, (text: string) => Planted> = {
    4: (text) => ({ say: `Decision: the cache key becomes ${fact(2)}, because hashes collide.`, text }),
    8: (text) => ({ text: `config loaded from ${fact(3)}\n${text}` }),
    12: (text) => ({ text: middle(text, `ERROR: build failed with code ${fact(4)}`) }),
    16: (text) => ({ text: `${text}\n    at run (/srv/app/${fact(5)}.js:10:5)` }),
    20: (text) => ({
      text,
      input: { file_path: `src/out/${fact(6)}.ts`, content: 'export const done = true;' },
      tool: 'write',
    }),
    24: (text) => ({ text, input: { todos: [{ text: `migrate ${fact(7)}`, status: 'open' }] }, tool: 'todo_write' }),
  };
  for (let step = 1; log.tokens() < tokens; step += 1) {
    const size =
      shape.hugeAt?.includes(step) === true ? 125_000 : shape.small === true ? 120 : 1200 + Math.floor(random() * 2600);
    const text = shape.chinese === true ? chinese(random, size) : code(random, size);
    const { say, text: result, input, tool } = planted[step]?.(text) ?? { text };
    const calls = [
      {
        tool: tool ?? 'read',
        input: input ?? { file_path: `src/file-${step}.ts` },
        result,
        image: shape.images === true && step % 3 === 0,
      },
    ];
    const pending = shape.pendingEvery !== undefined && step % shape.pendingEvery === 0;
    log.step(pending ? [...calls, { tool: 'bash', input: { command: 'npm test' } }] : calls, say, `thought ${step}`);
    if (pending) log.human('The machine was restarted. Go on.');
  }
  log.says('Done.');
  return { messages: log.messages, facts };
}

type Planted = { text: string; say?: string; input?: Record<string, unknown>; tool?: string };

/** Many turns of a person who tells things once and expects them to be known. */
function chat(random: Random) {
  const log = createLog();
  const facts = Array.from({ length: 10 }, (_, n) => `WISH-${n}-${(0x2000 + n * 733).toString(16)}`);
  for (let turn = 1; log.tokens() < LONG; turn += 1) {
    const wish = turn <= 10 ? ` Remember: ${facts[turn - 1]} must hold.` : '';
    log.human(`Question ${turn}: look into module ${turn} and tell me what it does.${wish}`);
    for (let step = 1; step <= 3; step += 1)
      log.step(
        [
          {
            tool: 'read',
            input: { file_path: `src/m${turn}-${step}.ts` },
            result: code(random, 1500 + Math.floor(random() * 1500)),
          },
        ],
        undefined,
        `thought ${turn}.${step}`,
      );
    log.says(`Module ${turn} ${code(random, 150)}`);
  }
  return { messages: log.messages, facts };
}

/** The session of the cost model: 400 answers of 250 tokens, 400 results of 2,500. */
function costRun() {
  const log = createLog();
  log.human('Go.');
  for (let step = 1; step <= 400; step += 1) {
    const call = { tool: 'read', input: { file_path: `f${step}` }, result: exactly(2500 - 16, step) };
    log.step([call], exactly(250 - 32, step));
  }
  return { messages: log.messages, facts: [] };
}

/** A text of so many estimated tokens: at two and a half characters a token, with a number that makes it this one. */
function exactly(tokens: number, seed: number): string {
  return `${String(1000 + seed)} ${'abcd '.repeat(tokens)}`.slice(0, Math.floor(tokens * 2.5));
}

type Call = { tool: string; input: Record<string, unknown>; result?: string; image?: boolean };

export function createLog() {
  const messages: MessageEntry[] = [];
  let size = 0;
  let calls = 0;
  function push(origin: MessageEntry['origin'], message: Message): void {
    const id = `e${messages.length + 1}`;
    const parents = messages.length === 0 ? [] : [`e${messages.length}`];
    messages.push({ version: 1, type: 'message', id, parents, lane: 'main', origin, message });
    size += estimateMessages([message]);
  }
  return {
    messages,
    tokens: () => size,
    human: (text: string) => push('human', { role: 'user', content: [{ type: 'text', text }] }),
    says: (text: string) => push('model', { role: 'assistant', content: [{ type: 'text', text }] }),
    step(made: readonly Call[], say?: string, think?: string): void {
      const uses = made.map(({ tool, input }) => ({
        type: 'tool_use' as const,
        id: `toolu_${(calls += 1)}`,
        name: tool,
        input,
      }));
      const thinking: Block[] =
        think === undefined ? [] : [{ type: 'thinking', thinking: think, signature: `sig-${messages.length}` }];
      const text: Block[] = say === undefined ? [] : [{ type: 'text', text: say }];
      push('model', { role: 'assistant', content: [...thinking, ...text, ...uses] });
      const results = made.flatMap(({ result, image }, place): Block[] => {
        if (result === undefined) return [];
        const parts = image === true ? [{ type: 'text' as const, text: result }, picture(place)] : result;
        return [{ type: 'tool_result', tool_use_id: uses[place]?.id ?? '', content: parts }];
      });
      push('tools', { role: 'user', content: results });
    },
  };
}

function picture(seed: number) {
  const data = Buffer.alloc(90_000, seed + 65).toString('base64');
  return { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data } };
}

const WORDS =
  'const return await function items value result error index key map filter reduce path config module export import string number total count user order refund'.split(
    ' ',
  );
const HAN =
  '的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处队南给色光门即保治北造百规热领七海口东导器压志世金增争济阶油思术极交受联什认六共权收证改清己美再采转更单风切打白教速花带安场身车例真务具万每目至达走积示议声报斗完类八离华名确才科张信马节话米整空元况今集温传土许步群广石记需段研界拉林律叫且究观越织装影算低持音众书布复容儿须际商非验连断深难近矿千周委素技备半办青省列习响约支般史感劳便团往酸历市克何除消构府称太准精值号率族维划选标写存候毛亲快效斯院查江型眼王按格养易置派层片始却专状育厂京识适属圆包火住调满县局照参红细引听该铁价严';

export function code(random: Random, tokens: number): string {
  return fill(tokens, () => {
    const word = () => WORDS[Math.floor(random() * WORDS.length)] ?? '';
    return `  ${word()} ${word()}_${Math.floor(random() * 1e6)} = ${word()}(${word()}, "${word()} ${word()}");\n`;
  });
}

function chinese(random: Random, tokens: number): string {
  return fill(tokens, () => `${Array.from({ length: 24 }, () => HAN[Math.floor(random() * HAN.length)]).join('')}。\n`);
}

function fill(tokens: number, line: () => string): string {
  const lines: string[] = [];
  for (let left = tokens; left > 0;) {
    const made = line();
    lines.push(made);
    left -= estimateText(made);
  }
  return lines.join('');
}

function middle(text: string, line: string): string {
  const at = text.indexOf('\n', Math.floor(text.length / 2)) + 1;
  return `${text.slice(0, at)}${line}\n${text.slice(at)}`;
}

/** One row that is measured. */
export type Asked = {
  system: string;
  scenario: ScenarioName;
  policy?: string;
  summariser?: string;
  trigger?: number;
  /** `trigger: auto`. */
  auto?: boolean;
  /** With pauses in which the prompt cache expires. */
  pauses?: boolean;
  /** The place of a task among those of `success.ts`, or of this file in the shape of LongMemEval-S; its scenario is not used. */
  task?: number;
  file?: string;
};
