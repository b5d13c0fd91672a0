/** Where spans and metrics go, from the environment variables that OpenTelemetry has for it; nowhere unless one is set. */
import { usageError } from '../../errors.ts';
import { packageVersion } from '../../own-file.ts';
import type { MetricsSettings } from './metrics-exporter.ts';

export type TelemetrySettings = {
  url: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  resource: Readonly<Record<string, string>>;
  /** `traceparent` of the process that started this one, such as a CI job: new runs become part of its trace. */
  traceparent: string | undefined;
  /** Absent: metrics are not sent. */
  metrics?: MetricsSettings | undefined;
};

type Env = Readonly<Record<string, string | undefined>>;

/** What is said of every span and metric unless the environment says otherwise. */
const OWN = { 'service.name': 'tandem', 'service.version': packageVersion() };
const DEFAULT_ENDPOINT = 'http://127.0.0.1:4318';
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_INTERVAL_MS = 60_000;

/** Undefined when telemetry is off. Contract: `usage` for an endpoint or a protocol that cannot be used. */
export function telemetrySettings(env: Env): TelemetrySettings | undefined {
  const set = (name: string) => env[name]?.trim() || undefined;
  const traces = set('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const all = set('OTEL_EXPORTER_OTLP_ENDPOINT');
  const enabled = isOn(set('TANDEM_OTEL')) ?? (traces !== undefined || all !== undefined);
  if (!enabled || isOn(set('OTEL_SDK_DISABLED')) === true || set('OTEL_TRACES_EXPORTER') === 'none') return undefined;
  const protocol = set('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? set('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== undefined && protocol !== 'http/json')
    throw usageError(
      `OTEL_EXPORTER_OTLP_PROTOCOL is "${protocol}": spans are sent as http/json. Set it to http/json, or TANDEM_OTEL=0.`,
    );
  const timeout = Number(set('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') ?? set('OTEL_EXPORTER_OTLP_TIMEOUT'));
  return {
    url: traces === undefined ? pathOf(all ?? DEFAULT_ENDPOINT, 'traces') : parsed(traces).href,
    headers: pairs(set('OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? set('OTEL_EXPORTER_OTLP_HEADERS')),
    timeoutMs: positive(timeout, DEFAULT_TIMEOUT_MS),
    resource: { ...OWN, ...pairs(set('OTEL_RESOURCE_ATTRIBUTES')), ...serviceOf(env) },
    traceparent: set('TRACEPARENT'),
    metrics: metricsSettings(set, timeout),
  };
}

/** Sent in addition to spans, unless only spans have an address or metrics are switched off. */
function metricsSettings(set: (name: string) => string | undefined, timeout: number): MetricsSettings | undefined {
  const own = set('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT');
  const all = set('OTEL_EXPORTER_OTLP_ENDPOINT');
  const onlySpans = own === undefined && all === undefined && set('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') !== undefined;
  if (onlySpans || set('OTEL_METRICS_EXPORTER') === 'none') return undefined;
  return {
    url: own === undefined ? pathOf(all ?? DEFAULT_ENDPOINT, 'metrics') : parsed(own).href,
    headers: pairs(set('OTEL_EXPORTER_OTLP_METRICS_HEADERS') ?? set('OTEL_EXPORTER_OTLP_HEADERS')),
    timeoutMs: positive(Number(set('OTEL_EXPORTER_OTLP_METRICS_TIMEOUT') ?? timeout), DEFAULT_TIMEOUT_MS),
    everyMs: positive(Number(set('OTEL_METRIC_EXPORT_INTERVAL')), DEFAULT_INTERVAL_MS),
  };
}

function positive(value: number, otherwise: number): number {
  return Number.isFinite(value) && value > 0 ? value : otherwise;
}

function isOn(word: string | undefined): boolean | undefined {
  return word === undefined ? undefined : !['0', 'false', 'off', 'no'].includes(word.toLowerCase());
}

/** The general endpoint is a base to which the signal's path is added; the one for traces is taken as it is. */
function pathOf(endpoint: string, signal: 'traces' | 'metrics'): string {
  const url = parsed(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/${signal}`;
  return url.href;
}

function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return url;
  throw usageError(
    `The OTLP endpoint "${text}" is not an http(s) address. Set OTEL_EXPORTER_OTLP_ENDPOINT to one such as ${DEFAULT_ENDPOINT}, or TANDEM_OTEL=0.`,
  );
}

/** `key1=value1,key2=value2`, percent-encoded; what is not a pair is left out. */
function pairs(text: string | undefined): Record<string, string> {
  const found = (text ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 ? [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const] : [];
  });
  return Object.fromEntries(found);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

function serviceOf(env: Env): Record<string, string> {
  const name = env['OTEL_SERVICE_NAME']?.trim() || undefined;
  return name === undefined ? {} : { 'service.name': name };
}
