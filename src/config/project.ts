/** `tandem.yaml`: what makes a folder a project, and the defaults of its commands. */
import { z } from 'zod';
import { findOwnFile, MARKER, type Home } from './home.ts';
import { readYamlFile } from './yaml-file.ts';

const PASSWORD_NAME = /^[A-Z][A-Z0-9_]*PASSWORD$/;

export const Project = z.strictObject({
  version: z.literal(1),
  /** For people. */
  name: z.string().min(1),
  /** What a command takes where its flag is not given. */
  defaults: z.strictObject({ profile: z.string().optional() }).prefault({}),
  /** The store that its runs live in: PostgreSQL, or a plugin's. */
  store: z
    .strictObject({
      url: z.string().optional(),
      /** A password is in a variable, which can be no model's key. */
      password_from: z.string().regex(PASSWORD_NAME).optional(),
      plugin: z.string().optional(),
      options: z.record(z.string(), z.unknown()).optional(),
    })
    .refine(({ url, plugin }) => (url === undefined) !== (plugin === undefined), 'a store has either url or plugin')
    .optional(),
});
export type Project = z.infer<typeof Project>;

/** Undefined for a folder without one. */
export async function readProject(home: Home): Promise<Project | undefined> {
  const path = findOwnFile(home, MARKER);
  return path === undefined ? undefined : readYamlFile(path, Project, MARKER);
}
