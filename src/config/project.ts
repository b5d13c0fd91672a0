/** `tandem.yaml` makes a folder a project and holds the defaults of its commands. */
import { z } from 'zod';
import { findOwnFile, MARKER, type Home } from './home.ts';
import { readYamlFile } from './yaml-file.ts';

const PASSWORD_NAME = /^[A-Z][A-Z0-9_]*PASSWORD$/;

export const Project = z.strictObject({
  version: z.literal(1),
  /** Name of the project, for people. */
  name: z.string().min(1),
  /** Values that a command uses when the flag is not given. */
  defaults: z.strictObject({ profile: z.string().optional() }).prefault({}),
  /** The store that its runs live in. */
  store: z
    .strictObject({
      url: z.string(),
      /** Name of the variable with the password; the pattern excludes variables with a model's key. */
      password_from: z.string().regex(PASSWORD_NAME).optional(),
    })
    .optional(),
});
export type Project = z.infer<typeof Project>;

/** Undefined for a folder without the file. */
export async function readProject(home: Home): Promise<Project | undefined> {
  const path = findOwnFile(home, MARKER);
  return path === undefined ? undefined : readYamlFile(path, Project, MARKER);
}
