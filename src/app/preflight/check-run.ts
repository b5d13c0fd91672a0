/** Checks models, key, sandbox and money before a run, with the adapters that the run will use. All at once. */
import { collectFindings, type ConfigFinding } from '../../config/findings.ts';
import { type Scenario, checkSources, loadScenario } from '../../config/load-scenario.ts';
import { findLine } from '../../config/yaml-file.ts';
import { checkStart } from '../../pipeline/check-start.ts';
import type { Forecast } from '../../scenario/forecast/forecast.ts';
import type { App } from '../open-app.ts';
import { isHarnessError } from '../../errors.ts';
import type { OpenToolWorlds } from '../../ports/tools/tool-worlds.ts';
import type { OfferedTools } from '../../ports/tools/tool-servers.ts';
import { listServers } from '../../pipeline/steps/server-tools.ts';
import type { Home } from '../../config/home.ts';
import { loadAgent } from '../../config/load-agent.ts';
import { loadConfig } from '../../config/load-config.ts';
import { loadPrompts } from '../../config/load-prompts.ts';
import { loadReviewers } from '../../config/reviewers.ts';
import { findFolderFault, findOutputFault, JUNIT_FILE } from '../../disk/named-output.ts';
import { checkScenario } from './check-scenario.ts';
import { findPlugin, loadPlugins } from '../../config/load-plugins.ts';
import { PLUGIN_PREFIX, describeRemovedGrader } from '../../ports/plugins/plugins.ts';
import type { LoadedAgent } from '../../agent/definition.ts';
import { openProjectTools } from '../../evaluation/proof/open-project-tools.ts';
import type { Sandbox } from '../../ports/sandbox.ts';

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
): Promise<ConfigFinding[]> {
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

const findKeyPath = ({ what }: ConfigFinding): string[] =>
  what.startsWith('budget_usd') ? ['budget_usd'] : ['subject', 'model'];

/** Typical costs may be wrong, so they cause no refusal; nor does anything when nothing is paid. */
function checkBudget(
  { brief: { name, budget_usd } }: Scenario,
  { floor, runs }: Forecast,
  simulated: boolean,
): ConfigFinding[] {
  if (budget_usd >= floor) return [];
  const level = runs.same > 0 && !simulated ? 'error' : 'warning';
  const what = `budget_usd ${budget_usd} is less than one design and one iteration cost at least, about $${floor.toFixed(2)}.`;
  return [{ level, where: `scenarios/${name}/scenario.yaml`, what, remedy: 'raise it, or --budget <usd>' }];
}

/** Contract: all servers have ended when it resolves. */
export async function checkServedTools(
  { brief, dir, text }: Pick<Scenario, 'brief' | 'dir' | 'text'>,
  open: OpenToolWorlds | undefined,
  signal: AbortSignal,
): Promise<ConfigFinding[]> {
  const { tools } = brief;
  if (tools === undefined || open === undefined) return [];
  const remedy = 'mend its command, its reset or its state (docs/mcp.md)';
  const shown = `scenarios/${brief.name}/scenario.yaml`;
  const looked = await open(tools, dir)
    .look(signal)
    .catch((error: unknown) => {
      if (isHarnessError(error, 'config_invalid')) return error.message;
      throw error;
    });
  if (typeof looked === 'string')
    return [{ level: 'error', where: `${shown}:${findLine(text, ['tools'])}`, what: looked }];
  return looked.flatMap(({ server, problems }) => {
    const index = tools.mcp.findIndex(({ name }) => name === server);
    const where = `${shown}:${findLine(text, ['tools', 'mcp', String(index)])}`;
    return problems.map((what): ConfigFinding => ({ level: 'error', where, what, remedy }));
  });
}

/** Contract: all servers have ended when it resolves. */
async function checkToolServers(
  { agents, toolServers }: Pick<App['deps'], 'agents' | 'toolServers'>,
  signal: AbortSignal,
): Promise<ConfigFinding[]> {
  const loaded = Object.values(agents).flatMap((agent) => [agent, agent.subagent?.agent]);
  const names = listServers(loaded.flatMap((agent) => agent?.definition.tools ?? []));
  if (names.length === 0 || toolServers === undefined) return [];
  try {
    const open = await toolServers.open(names, signal);
    await open.close();
    return open.offered.flatMap(toFindings);
  } catch (error) {
    if (isHarnessError(error)) return [{ level: 'error', where: 'config/default.yaml', what: error.message }];
    throw error;
  }
}

/** In a run, a broken server only costs its tools; before the run, the person is told first. */
function toFindings({ server, definitions, problems }: OfferedTools): ConfigFinding[] {
  const level = definitions.length === 0 ? 'error' : 'warning';
  const remedy = 'mend the server, or take mcp:<server> out of agents/*/agent.yaml';
  const where = `mcp.${server}`;
  if (definitions.length === 0 && problems.length === 0) return [{ level, where, what: 'it offers no tool.', remedy }];
  return problems.map((what) => ({ level, where, what, remedy }));
}

type FilesToCheck = {
  home: Home;
  /** The name or path of the scenario. */
  name: string;
  config: Parameters<typeof loadConfig>[1];
  env: Readonly<Record<string, string | undefined>>;
  /** The absolute paths that the command will write: the first is a file, the second a folder. */
  outputs: Readonly<Partial<Record<'--junit' | '--record', string | undefined>>>;
};

type CheckedFiles = { findings: ConfigFinding[]; scenario: Scenario | undefined };

/** Checks before a run that all its files can be read and are valid, and that its output places can be written. */
export async function checkFiles({ home, name, config: layers, env, outputs }: FilesToCheck): Promise<CheckedFiles> {
  const findings: ConfigFinding[] = [];
  const config = await collectFindings(findings, 'config/default.yaml', () => loadConfig(home, layers));
  const scenario = await collectFindings(findings, name, () => loadScenario(home, name, { copy: false }));
  if (scenario !== undefined) {
    await collectFindings(findings, name, async () => checkSources(scenario));
    findings.push(...(await checkScenario(scenario, env)), ...(await checkPlugins(home, scenario)));
  }
  if (config !== undefined)
    for (const agent of ['init', 'execute'])
      await collectFindings(findings, `agents/${agent}`, () => loadAgent(home, agent, config));
  await collectFindings(findings, 'prompts/', () => loadPrompts(home));
  await collectFindings(findings, 'config/reviewers.yaml', () => loadReviewers(home));
  for (const [flag, path] of Object.entries(outputs)) {
    if (path === undefined) continue;
    const { project } = home;
    const fault =
      flag === '--record' ? findFolderFault(path, project) : findOutputFault({ flag, path, project, kind: JUNIT_FILE });
    if (fault !== undefined) findings.push({ level: 'error', where: flag, what: fault, remedy: 'name another place' });
  }
  return { findings, scenario };
}

/** Checks before a run that the plugin of the scenario's subject exists and can be loaded. */
async function checkPlugins(home: Home, { brief, text }: Scenario): Promise<ConfigFinding[]> {
  const findings: ConfigFinding[] = [];
  const addFinding = (at: string[], what: string): void => {
    findings.push({ level: 'error', where: `scenarios/${brief.name}/scenario.yaml:${findLine(text, at)}`, what });
  };
  const { subject, graders } = brief;
  try {
    if (subject.plugin !== undefined)
      findPlugin(await loadPlugins(home), { kind: 'subjects', name: subject.plugin }, 'subject.plugin');
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    addFinding(['subject', 'plugin'], error.message);
  }
  const model = graders?.model;
  if (model?.startsWith(PLUGIN_PREFIX) === true) addFinding(['graders', 'model'], describeRemovedGrader(model));
  return findings;
}

/** `names` are the tools that can be offered. */
export async function checkProjectTools(
  agents: readonly Pick<LoadedAgent, 'projectTools'>[],
  sandbox: () => Promise<Sandbox>,
  signal: AbortSignal,
): Promise<{ names: string[]; findings: ConfigFinding[] }> {
  const named = agents.flatMap(({ projectTools }) => projectTools ?? []);
  const files = new Map(named.flatMap((one) => one.files.map((file) => [file.path, file])));
  const [first] = named;
  if (first === undefined) return { names: [], findings: [] };
  const open = await openProjectTools({ dir: first.dir, files: [...files.values()] }, await sandbox(), signal);
  await open.close();
  const findings = open.problems.map((problem): ConfigFinding => {
    const [, where = 'tools/', what = problem] = /^([^:\s]+(?::\d+)?): ([^]*)$/.exec(problem) ?? [];
    return { level: 'error', where, what, remedy: 'mend it, or take it out of agents/*/agent.yaml' };
  });
  return { names: open.tools.map(({ name }) => name), findings };
}
