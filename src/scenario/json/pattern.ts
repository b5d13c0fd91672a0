/** Regular expressions that a model wrote, matched in linear time: none of them can make the harness hang. */
import { messageOf } from '../../errors.ts';
import { fault, parsePattern, type CharTest, type PatternNode } from './pattern-parse.ts';

export type Pattern = { ok: true; matches: (text: string) => boolean } | { ok: false; fault: string };

type Instruction =
  | { type: 'char'; test: CharTest; next: number }
  | { type: 'split'; a: number; b: number }
  | { type: 'start' | 'end'; next: number }
  | { type: 'match' };

const MAX_SOURCE = 1000;
const MAX_INSTRUCTIONS = 1000;
const MAX_TEXT = 10_000;

/** Compiles the common part of the syntax (no look-around, no back-references); anything else is a fault. */
export function compilePattern(source: string): Pattern {
  try {
    if (source.length > MAX_SOURCE) throw fault('it is too large');
    const program: Instruction[] = [];
    const match = emit(program, { type: 'match' });
    const first = write(program, parsePattern(source), match);
    return { ok: true, matches: (text) => text.length <= MAX_TEXT && run(program, first, text) };
  } catch (error) {
    return { ok: false, fault: messageOf(error) };
  }
}

function emit(program: Instruction[], instruction: Instruction): number {
  if (program.length >= MAX_INSTRUCTIONS) throw fault('it is too large');
  return program.push(instruction) - 1;
}

/** Writes a node that goes on at `next`, and returns where it begins. */
function write(program: Instruction[], node: PatternNode, next: number): number {
  switch (node.type) {
    case 'char':
      return emit(program, { type: 'char', test: node.test, next });
    case 'start':
    case 'end':
      return emit(program, { type: node.type, next });
    case 'sequence':
      return node.items.reduceRight((follows, item) => write(program, item, follows), next);
    case 'choice':
      return node.items
        .map((item) => write(program, item, next))
        .reduceRight((b, a) => emit(program, { type: 'split', a, b }));
    case 'repeat':
      return writeRepeat(program, node, next);
    default:
      return node satisfies never;
  }
}

function writeRepeat(program: Instruction[], node: Extract<PatternNode, { type: 'repeat' }>, next: number): number {
  let start = next;
  if (node.most === Infinity) {
    const loop = emit(program, { type: 'split', a: next, b: next });
    program[loop] = { type: 'split', a: write(program, node.item, loop), b: next };
    start = loop;
  }
  for (let count = node.least; count < Math.min(node.most, MAX_INSTRUCTIONS) && node.most !== Infinity; count += 1) {
    start = emit(program, { type: 'split', a: write(program, node.item, start), b: next });
  }
  for (let count = 0; count < node.least; count += 1) start = write(program, node.item, start);
  return start;
}

/** All alternatives are followed side by side, one character at a time (after Thompson and Pike). */
function run(program: readonly Instruction[], first: number, text: string): boolean {
  const codes = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  let current: number[] = [];
  for (let position = 0; position <= codes.length; position += 1) {
    const live = follow(program, [...current, first], position === 0, position === codes.length);
    if (live === 'match') return true;
    const code = codes[position];
    current = live.flatMap((at) => {
      const step = program[at];
      return code !== undefined && step?.type === 'char' && step.test(code) ? [step.next] : [];
    });
  }
  return false;
}

/** The characters that may come next, through all instructions that read none. */
function follow(program: readonly Instruction[], from: number[], isStart: boolean, isEnd: boolean): number[] | 'match' {
  const seen = new Set<number>();
  const live: number[] = [];
  const rest = [...from];
  for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
    const step = program[at];
    if (step === undefined || seen.has(at)) continue;
    seen.add(at);
    if (step.type === 'match') return 'match';
    if (step.type === 'char') live.push(at);
    else if (step.type === 'split') rest.push(step.b, step.a);
    else if (step.type === 'start' ? isStart : isEnd) rest.push(step.next);
  }
  return live;
}
