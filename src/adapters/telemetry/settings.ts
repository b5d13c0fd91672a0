/** Reads from OpenTelemetry's environment variables where spans go; nowhere unless one is set. */
import { usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { packageVersion } from '../../own-file.ts';

export type TelemetrySettings = {
  url: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  resource: Readonly<Record<string, string>>;
  /** The `traceparent` of the parent process, such as a CI job: new runs become part of its trace. */
  traceparent: string | undefined;
};

type Env = Readonly<Record<string, string | undefined>>;

/** Attributes of every span, unless the environment overrides them. */
const OWN_ATTRIBUTES = { 'service.name': 'tandem', 'service.version': packageVersion() };
const DEFAULT_ENDPOINT = 'http://127.0.0.1:4318';
const DEFAULT_TIMEOUT_MS = 10_000;

/** Undefined when telemetry is off. Contract: `usage` for an endpoint or a protocol that cannot be used. */
export function telemetrySettings(env: Env): TelemetrySettings | undefined {
  const set = (name: string) => env[name]?.trim() || undefined;
  const traces = set('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const all = set('OTEL_EXPORTER_OTLP_ENDPOINT');
  const enabled = isOn(set('TANDEM_OTEL')) ?? (traces !== undefined || all !== undefined);
  if (!enabled || isOn(set('OTEL_SDK_DISABLED')) === true || set('OTEL_TRACES_EXPORTER') === 'none') return undefined;
  const protocol = set('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? set('OTEL_EXPORTER_OTLP_PROTOCOL');
  const advice = 'spans are sent as http/json. Set it to http/json, or TANDEM_OTEL=0.';
  if (protocol !== undefined && protocol !== 'http/json')
    throw usageError(`OTEL_EXPORTER_OTLP_PROTOCOL is "${protocol}": ${advice}`);
  const named = omitUndefined({ 'service.name': set('OTEL_SERVICE_NAME') });
  const timeout = Number(set('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') ?? set('OTEL_EXPORTER_OTLP_TIMEOUT'));
  return {
    url: traces === undefined ? addTracesPath(all ?? DEFAULT_ENDPOINT) : parseEndpoint(traces).href,
    headers: parsePairs(set('OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? set('OTEL_EXPORTER_OTLP_HEADERS')),
    timeoutMs: Number.isFinite(timeout) && timeout > 0 ? timeout : DEFAULT_TIMEOUT_MS,
    resource: { ...OWN_ATTRIBUTES, ...parsePairs(set('OTEL_RESOURCE_ATTRIBUTES')), ...named },
    traceparent: set('TRACEPARENT'),
  };
}

function isOn(word: string | undefined): boolean | undefined {
  return word === undefined ? undefined : !['0', 'false', 'off', 'no'].includes(word.toLowerCase());
}

/** The general endpoint is a base to which the path of traces is added; an endpoint for traces is used as it is. */
function addTracesPath(endpoint: string): string {
  const url = parseEndpoint(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}

function parseEndpoint(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return url;
  const advice = `Set OTEL_EXPORTER_OTLP_ENDPOINT to one such as ${DEFAULT_ENDPOINT}, or TANDEM_OTEL=0.`;
  throw usageError(`The OTLP endpoint "${text}" is not an http(s) address. ${advice}`);
}

/** Parses percent-encoded `key1=value1,key2=value2`, and skips malformed pairs. */
function parsePairs(text: string | undefined): Record<string, string> {
  const found = (text ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 ? [[pair.slice(0, at).trim(), decodeValue(pair.slice(at + 1).trim())] as const] : [];
  });
  return Object.fromEntries(found);
}

/** Returns a text that is not percent-encoded as it is. */
export function decodeValue(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
