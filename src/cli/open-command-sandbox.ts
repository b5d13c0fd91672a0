/** Opens the sandbox of a command that runs generated code: as its options require, and reports its gaps. */
import { openConfined } from '../app/open-sandbox.ts';
import type { SandboxChoice } from '../config/schema.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Io } from './io.ts';

export type SandboxFlags = { sandbox?: SandboxChoice | undefined; allowUnsandboxed?: boolean | undefined };

export async function sandboxFor({ sandbox: choice, allowUnsandboxed }: SandboxFlags, io: Io): Promise<Sandbox> {
  const sandbox = await openConfined({ choice, allowUnsandboxed });
  for (const gap of sandbox.gaps) io.err(`sandbox ${sandbox.kind}: ${gap}`);
  return sandbox;
}
