/** Proves what the user of a sample does: with tools of their own, on inputs that these take, and as the gold path needs it. */
import type { Design } from '../../scenario/design.ts';
import { jsonFault, sameJson } from '../../scenario/json/json-value.ts';
import { validateJson } from '../../scenario/json/json-schema.ts';
import { problem, type ProblemCode } from '../../scenario/attribution/problem-code.ts';
import type { Problem } from '../../scenario/result.ts';
import type { Sample } from '../../scenario/sample.ts';
import { userToolsOf } from '../../scenario/user-tools.ts';
import type { Components } from '../components/components.ts';

export function actProblems(sample: Sample, { tools }: Pick<Components, 'tools'>, design: Design): Problem[] {
  const tell = (code: ProblemCode, message: string): Problem =>
    problem(code, sample.id, `samples/${sample.id}.json: ${message}`, { sample: sample.id });
  const ofUser = userToolsOf(design.format);
  const specs = new Map(tools.map((tool) => [tool.name, tool]));
  const acts = sample.user.acts ?? [];
  const calls = acts.flatMap((act) => act.calls);
  return [
    ...acts
      .flatMap((act, index) => act.calls.map((call) => ({ ...call, index })))
      .flatMap(({ tool, args, index }) => {
        const at = `user.acts/${index}: ${tool}`;
        if (!ofUser.has(tool))
          return [tell('act-invalid', `${at} is no tool of the user (format_spec.yaml, by: user)`)];
        const faults = [jsonFault(args), ...validateJson(specs.get(tool)?.input_schema ?? true, args)];
        return faults.flatMap((fault) => (fault === undefined ? [] : [tell('act-invalid', `${at}: ${fault}`)]));
      }),
    ...sample.gold
      // Without acts the user may be played by a model, and do whatever it is asked for.
      .filter(({ tool }) => acts.length > 0 && ofUser.has(tool))
      .filter((wanted) => !calls.some((call) => sameJson(call, wanted)))
      .map(({ tool, args }) =>
        tell(
          'gold-invalid',
          `the gold path needs the user to call ${tool} ${JSON.stringify(args)}, and no act does so`,
        ),
      ),
  ];
}
