/** Redacts secrets from log lines: values of the environment, and anything that looks like a key. */
import { scrubSecrets, secretForms } from '../../adapters/anthropic/scrub.ts';

/** Names of variables that hold a secret, or an address that works as one. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|SMTP|SLACK|WEBHOOK|HOOK|CREDENTIAL/i;

export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
  isSecret = (name: string): boolean => SECRET_NAME.test(name),
): (text: string) => string {
  const named = Object.entries(env).flatMap(([name, value = '']) => (isSecret(name) ? [value.trim()] : []));
  const passwords = Object.values(env).flatMap((value = '') => listPasswords(value));
  const secrets = [...new Set([...named, ...passwords].flatMap(secretForms))].toSorted(
    // The longest first, because one secret may be part of another.
    (one, other) => other.length - one.length,
  );
  return (text) =>
    scrubSecrets(
      secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text),
      '',
    );
}

function listPasswords(value: string): string[] {
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
