/** What `deploy/` ships can be read, and every command line in it is one that this version takes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { wholeProgram } from './cli/whole-program.ts';

const read = (path: string): string => readFileSync(join('deploy', path), 'utf8');
const compose = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, { command?: string[] }> };
const pods = parseAllDocuments(read('kubernetes/tandem.yaml')).map((document) => {
  expect(document.errors).toEqual([]);
  return document.toJS() as Pod;
});
type Probe = { httpGet: { path: string; port: string } };
type Container = { args: string[]; ports: { name: string }[]; readinessProbe: Probe; livenessProbe: Probe };
type Pod = { kind: string; metadata: { name: string }; spec: { template?: { spec: { containers: Container[] } } } };
const containers = pods.flatMap(({ spec }) => spec.template?.spec.containers ?? []);
const units = readdirSync('deploy/systemd').map((name) => [name, read(join('systemd', name))] as const);

const dockerLine = JSON.parse(/^CMD (\[.*\])$/m.exec(read('Dockerfile'))?.[1] ?? '[]') as string[];
const lines: [string, string[]][] = [
  ['Dockerfile', dockerLine],
  ...['worker', 'page'].map((name): [string, string[]] => [name, compose.services[name]?.command ?? []]),
  ...containers.map(({ args }): [string, string[]] => ['kubernetes', args]),
  ...units.map(([name, text]): [string, string[]] => [
    name,
    (/^ExecStart=\/usr\/bin\/env tandem (.*)$/m.exec(text)?.[1] ?? '').replaceAll('%i', '1').split(' '),
  ]),
];

test.each(lines)('%s: its command line is taken', async (_, words) => {
  const program = await wholeProgram();
  const called: string[] = [];
  for (const command of program.commands as CommandUnknownOpts[])
    command.action(() => void called.push(command.name()));
  await program.parseAsync(words, { from: 'user' });
  expect(called).toEqual([words[0]]);
});

test('probes ask what the worker answers, and only the readiness depends on the queue', () => {
  expect(containers).toHaveLength(1);
  for (const { ports, readinessProbe, livenessProbe } of containers) {
    expect([readinessProbe.httpGet.path, livenessProbe.httpGet.path]).toEqual(['/healthz', '/livez']);
    for (const { httpGet } of [readinessProbe, livenessProbe])
      expect(ports.map(({ name }) => name)).toContain(httpGet.port);
  }
});

test('nobody waits less for a stop than the worker takes for it, and nobody is root', () => {
  for (const [name, text] of units) expect(text, name).toMatch(/^User=tandem$/m);
  expect(read('Dockerfile')).toMatch(/^USER node$/m);
  for (const [name, words] of lines.filter(([, [command]]) => command === 'worker')) {
    const grace = Number(words[words.indexOf('--grace') + 1] ?? 30);
    if (words.includes('--grace')) expect(grace, name).toBeLessThan(60);
  }
  expect(read('compose.yaml')).toContain('stop_grace_period: 60s');
  expect(read('kubernetes/tandem.yaml')).toContain('terminationGracePeriodSeconds: 60');
  expect(read('systemd/tandem-worker@.service')).toContain('TimeoutStopSec=60');
});

test('what is installed for a fleet has the packages that a queue, a store and e-mail ask for', () => {
  const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    peerDependencies: Record<string, string>;
  };
  const wanted = Object.entries(peerDependencies).filter(([name]) => !name.startsWith('@modelcontextprotocol/'));
  expect(wanted.length).toBeGreaterThan(1);
  for (const path of ['Dockerfile', 'systemd/tandem-worker@.service'])
    for (const [name, range] of wanted) expect(read(path)).toContain(` ${name}@${range.replace('^', '')}`);
});

test('where there is no home there is a place for what is read and worked on', () => {
  for (const [name, text] of units) {
    expect(text, name).toMatch(/^ProtectHome=yes$/m);
    const cache = /^CacheDirectory=(\S+)$/m.exec(text)?.[1];
    expect(text, name).toContain(`\nEnvironment=XDG_CACHE_HOME=/var/cache/${cache}\n`);
  }
});

test('each worker of systemd has a port, whatever its two digits', () => {
  const text = read('systemd/tandem-worker@.service');
  const [, enabled = ''] = /enable --now (.*)/.exec(text) ?? [];
  const [, listen = ''] = /--listen 127\.0\.0\.1:(\S+)/.exec(text) ?? [];
  const instances = [...enabled.split(' ').map((unit) => unit.split('@')[1] ?? ''), '10', '99'];
  for (const instance of instances) {
    const port = Number(listen.replace('%i', instance));
    expect(port > 1024 && port < 65_536, `${instance}: ${port}`).toBe(true);
  }
});

test('workers are scaled by a metric that workers have, down to one that looks after the project', () => {
  const [scaled, ...more] = parseAllDocuments(read('kubernetes/keda.yaml')).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Scaled;
  });
  expect([scaled?.apiVersion, scaled?.kind, more]).toEqual(['keda.sh/v1alpha1', 'ScaledObject', []]);
  const { scaleTargetRef, minReplicaCount, maxReplicaCount, triggers, pollingInterval } = scaled?.spec ?? fail();
  expect(pods.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name)).toEqual([
    scaleTargetRef.name,
  ]);
  expect([minReplicaCount >= 1, maxReplicaCount > minReplicaCount, pollingInterval > 0]).toEqual([true, true, true]);
  const sources = ['src/app/worker/health.ts', 'src/app/metrics/project-metrics.ts'].map((path) =>
    readFileSync(path, 'utf8'),
  );
  for (const { type, metricType, metadata } of triggers) {
    expect([type, metricType, metadata.threshold]).toEqual(['prometheus', 'Value', expect.stringMatching(/^\d+$/)]);
    expect(() => new URL(metadata.serverAddress)).not.toThrow();
    const names = metadata.query.match(/tandem_[a-z_]+/g) ?? [];
    expect(names.length).toBeGreaterThan(0);
    for (const name of names)
      expect(
        sources.some((source) => source.includes(`'${name}'`)),
        name,
      ).toBe(true);
    // Without a waiting job the metric is absent, which must not leave the last number in place.
    expect(metadata.query).toMatch(/ or vector\(0\)$/);
  }
});

type Scaled = {
  apiVersion: string;
  kind: string;
  spec: {
    scaleTargetRef: { name: string };
    minReplicaCount: number;
    maxReplicaCount: number;
    pollingInterval: number;
    triggers: {
      type: string;
      metricType: string;
      metadata: { serverAddress: string; query: string; threshold: string };
    }[];
  };
};

function fail(): never {
  throw new Error('deploy/kubernetes/keda.yaml holds no object');
}
