/** The schema of `simulation/*.yaml`: the requests that a script answers, and its replies (docs/internals/simulation.md). */
import { z } from 'zod';

const BROKEN = ['429', '500', '529', 'mid_stream', 'cut'] as const;
export const FAULT_KINDS = [...BROKEN, 'refusal', 'max_tokens', 'empty', 'pause_turn'] as const;
const FaultKind = z.preprocess((kind) => (typeof kind === 'number' ? String(kind) : kind), z.enum(FAULT_KINDS));
export type FaultKind = (typeof FAULT_KINDS)[number];

const InjectedFault = z.union([
  z.strictObject({ at: z.int().positive(), kind: FaultKind }),
  z.strictObject({ who: z.string().min(1), nth: z.int().positive(), kind: FaultKind }),
]);
/** Happens at the nth request since the server started, or the nth that one script answers; each fault happens once. */
export type InjectedFault = z.infer<typeof InjectedFault>;

const Call = z.strictObject({
  tool: z.string().min(1),
  input: z.record(z.string(), z.unknown()).default({}),
  /** A file of the simulation folder, whose text becomes `input.content`. */
  content_file: z.string().min(1).optional(),
});
export type ScriptCall = z.infer<typeof Call>;

const Step = z
  .strictObject({
    think: z.string().min(1).optional(),
    say: z.string().trim().min(1).optional(),
    calls: z.array(Call).default([]),
    /** A text that the newest tool result, or the user text next to it, must contain. */
    expects: z.string().min(1).optional(),
  })
  .refine(({ say, calls }) => say !== undefined || calls.length > 0, 'a step needs `say`, `calls` or both');
export type ScriptStep = z.infer<typeof Step>;

const Turn = z.strictObject({
  name: z.string().min(1),
  /** The part of the user text that selects this turn; empty: any text that contains no other marker. */
  marker: z.string(),
  unless: z.string().min(1).optional(),
  system_includes: z.string().min(1).optional(),
  system_excludes: z.string().min(1).optional(),
  steps: z.array(Step).min(1),
  summary: z.record(z.string(), z.unknown()).optional(),
});
export type ScriptTurn = z.infer<typeof Turn>;

export const Script = z.strictObject({
  version: z.literal(1),
  who: z.string().min(1),
  match: z.strictObject({ system_includes: z.string().min(1) }),
  turns: z.array(Turn).default([]),
  faults: z.array(InjectedFault).default([]),
});
export type Script = z.infer<typeof Script>;
/** A script as a person writes it: fields with a default may be missing. */
export type ScriptInput = z.input<typeof Script>;

/** A script, with the folder of its content files. */
export type Player = { script: Script; dir: string | undefined };
