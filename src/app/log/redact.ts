/** Secrets taken out of whatever is logged: those that the environment holds, and what looks like a key. */
import { scrub, secretForms } from '../../adapters/anthropic/scrub.ts';

/** Names of variables that hold a secret, or an address that is one. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|SMTP|SLACK|WEBHOOK|HOOK|CREDENTIAL/i;

export function redactor(
  env: Readonly<Record<string, string | undefined>>,
  isSecret = (name: string): boolean => SECRET_NAME.test(name),
): (text: string) => string {
  const named = Object.entries(env).flatMap(([name, value = '']) => (isSecret(name) ? [value.trim()] : []));
  const passwords = Object.values(env).flatMap((value = '') => passwordOf(value));
  const secrets = [...new Set([...named, ...passwords].flatMap(secretForms))].toSorted(
    // The longest first: one may be part of another.
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
