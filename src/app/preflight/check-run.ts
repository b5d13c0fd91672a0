/** Checks models, key, sandbox and money before a run, with the adapters that the run will use. All at once. */
import { collectFindings, type Finding } from '../../config/findings.ts';
import type { Scenario } from '../../config/load-scenario.ts';
import { findLine } from '../../config/yaml-file.ts';
import { checkStart } from '../../pipeline/check-start.ts';
import type { Forecast } from '../../scenario/forecast/forecast.ts';
import type { App } from '../open-app.ts';
import { checkProjectTools } from './check-project-tools.ts';
import { checkServedTools } from './check-served-tools.ts';
import { checkToolServers } from './check-tool-servers.ts';

export type RunToCheck = {
  scenario: Scenario;
  app: Pick<App, 'deps'>;
  forecast: Forecast;
  /** False when other processes will do the work, which this process's sandbox says nothing about. */
  isHere: boolean;
};

export async function checkRun(
  { scenario, app, forecast, isHere }: RunToCheck,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { brief } = scenario;
  const findings = await checkStart(brief, app.deps, signal);
  if (isHere) {
    await collectFindings(findings, 'sandbox', app.deps.sandbox);
    findings.push(...(await checkToolServers(app.deps, signal)));
    const { agents, sandbox } = app.deps;
    const prove = () => checkProjectTools(Object.values(agents), sandbox, signal);
    findings.push(...((await collectFindings(findings, 'tools/', prove))?.findings ?? []));
    findings.push(...(await checkServedTools(scenario, app.deps.toolWorlds, signal)));
  }
  return [...findings, ...checkBudget(scenario, forecast, app.deps.simulated)].map((finding) => ({
    ...finding,
    where: finding.where.replace(/scenario\.yaml$/, `scenario.yaml:${findLine(scenario.text, findKeyPath(finding))}`),
  }));
}

const findKeyPath = ({ what }: Finding): string[] =>
  what.startsWith('budget_usd') ? ['budget_usd'] : ['subject', 'model'];

/** Typical costs may be wrong, so they cause no refusal; nor does anything when nothing is paid. */
function checkBudget(
  { brief: { name, budget_usd } }: Scenario,
  { floor, runs }: Forecast,
  simulated: boolean,
): Finding[] {
  if (budget_usd >= floor) return [];
  const level = runs.same > 0 && !simulated ? 'error' : 'warning';
  const what = `budget_usd ${budget_usd} is less than one design and one iteration cost at least, about $${floor.toFixed(2)}.`;
  return [{ level, where: `scenarios/${name}/scenario.yaml`, what, remedy: 'raise it, or --budget <usd>' }];
}
