/** Secrets taken out of whatever is logged: those that the environment holds, and what looks like a key. */
import { scrub } from '../../adapters/anthropic/scrub.ts';

/** Names of variables that hold a secret, or an address that is one. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|SMTP|SLACK|WEBHOOK|HOOK|CREDENTIAL/i;
/** A shorter value is a placeholder; to replace it would only garble the text. */
const SHORTEST = 8;

export function redactor(
  env: Readonly<Record<string, string | undefined>>,
  isSecret = (name: string): boolean => SECRET_NAME.test(name),
): (text: string) => string {
  const named = Object.entries(env).flatMap(([name, value = '']) => (isSecret(name) ? [value.trim()] : []));
  const passwords = Object.values(env).flatMap((value = '') => passwordOf(value));
  // As it is written in JSON too, and the longest first: one may be part of another.
  const all = [...named, ...passwords].filter((value) => value.length >= SHORTEST);
  const secrets = [...new Set(all.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))].toSorted(
    (one, other) => other.length - one.length,
  );
  return (text) =>
    scrub(
      secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text),
      '',
    );
}

function passwordOf(value: string): string[] {
  if (!value.includes('://') || !URL.canParse(value)) return [];
  const { password, searchParams } = new URL(value);
  return [password, safeDecoded(password), ...searchParams.getAll('password')];
}

function safeDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
