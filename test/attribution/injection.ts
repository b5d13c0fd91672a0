/** A fault of known layer, put into the components that the shipped scenario ends with. */
import type { Cause, Layer } from '../../src/scenario/result.ts';
import type { StopCause } from '../../src/scenario/trace.ts';
import type { SampleCall, PatchOperation } from '../../src/scenario/sample.ts';

/** Path below the components folder -> text. */
export type Files = Map<string, string>;

export type Plan = {
  calls: SampleCall[];
  says: string;
  /** Before the calls: a question of the subject, and what the user answers. */
  asks?: { says: string; user: string };
  /** How the conversation ends, if not as it should. */
  stop?: StopCause;
  detail?: string;
};

export type Injection = {
  layer: Layer;
  /** Where `layer` and `change` do not say it: a user that is wrong only while it is played. */
  cause?: Cause;
  kind: string;
  name: string;
  change?: (files: Files) => void;
  /** Rules that are added to the design. */
  rules?: { id: string; text: string }[];
  /** What is changed in the schema of the worlds. */
  world?: Record<string, unknown>;
  /** What the subject does instead of the gold path. */
  plan?: (sample: RawSample) => Plan;
};

/** A sample as its file says it. */
export type RawSample = {
  id: string;
  category: string;
  covers: string[];
  checkers: string[];
  user: { says_first: string; knows: Record<string, string> };
  start: { base: string; patch: PatchOperation[] };
  expect: {
    end_state: 'unchanged' | { patch: PatchOperation[] };
    must_say: { any: string[] }[];
    must_not_call: string[];
  };
  gold: SampleCall[];
  gold_says: string;
  wrong: SampleCall[];
  wrong_says: string;
  limits: Record<string, number>;
};

/** A layer-4 fault in a file is the sample's, one in what is played is the subject's; `plan` alone makes no file wrong. */
export function causeOf({ cause, layer, change }: Injection): Cause {
  if (cause !== undefined) return cause;
  if (layer === 4) return change === undefined ? '4b' : '4a';
  return layer === 1 ? '1' : layer === 2 ? '2' : '3';
}

export function textOf(files: Files, path: string): string {
  const text = files.get(path);
  if (text === undefined) throw new Error(`there is no ${path}`);
  return text;
}

/** Replaces what stands in a file exactly once. */
export function replacing(path: string, from: string, to: string): NonNullable<Injection['change']> {
  return (files) => {
    const text = textOf(files, path);
    if (text.split(from).length !== 2) throw new Error(`${path} holds ${JSON.stringify(from)} not once`);
    files.set(
      path,
      text.replace(from, () => to),
    );
  };
}

/** Puts code around `run` of a tool; `inner(input, world)` is what it did. */
export function wrapTool(name: string, body: string, before = ''): NonNullable<Injection['change']> {
  return wrap(`tools/${name}.mjs`, 'run(input, world)', body, before);
}

/** Puts code around `check` of a checker; `inner(ctx)` is what it said. */
export function wrapChecker(id: string, body: string): NonNullable<Injection['change']> {
  return (files) => {
    const path = `checkers/${id}.mjs`;
    const text = textOf(files, path).replace(/export function check\(([^)]*)\)/, 'function inner($1)');
    if (!text.includes('function inner(')) throw new Error(`${path} has no check`);
    files.set(path, `${text}\nexport function check(ctx) {\n${body}\n}\n`);
  };
}

function wrap(path: string, signature: string, body: string, before: string): NonNullable<Injection['change']> {
  return (files) => {
    const text = textOf(files, path);
    if (!text.includes(`export function ${signature}`)) throw new Error(`${path} has no ${signature}`);
    const inner = text.replace(`export function ${signature}`, () => `function ${signature.replace('run', 'inner')}`);
    files.set(path, `${inner}\n${before}\nexport function ${signature} {\n${body}\n}\n`);
  };
}

export function editSample(id: string, edit: (sample: RawSample) => void): NonNullable<Injection['change']> {
  return (files) => {
    const path = `samples/${id}.json`;
    const sample = JSON.parse(textOf(files, path)) as RawSample;
    edit(sample);
    files.set(path, JSON.stringify(sample, null, 2));
  };
}
