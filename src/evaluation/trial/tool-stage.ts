/** Where a sample is played: all tools, who may use them, and what its worlds must look like. */
import type { SandboxSession } from '../../ports/sandbox.ts';
import type { FormatSpec } from '../../scenario/design.ts';
import { userToolsOf } from '../../scenario/user-tools.ts';
import type { Stage } from '../components/call-tool.ts';
import type { Components, LoadedSample } from '../components/components.ts';

/** A world must keep to the schema, unless it did not from the start: then no tool is blamed for it. */
export function stageFor(
  { world, base }: Pick<LoadedSample, 'world' | 'base'>,
  { tools, paths }: Pick<Components, 'tools' | 'paths'>,
  format: FormatSpec,
  session: SandboxSession,
): Stage {
  return {
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    session,
    paths,
    userTools: userToolsOf(format),
    worldSchema: format.world,
    startWorld: world,
    base: base?.world,
  };
}
