import { openRegistrationFile, type RegistrationFile } from './registrations/registration-file.ts';

/** What the server needs of its surroundings. */
export type ServerPorts = {
  /** One line for the operator, without a line break. */
  readonly report: (line: string) => void;
  /** Opens the data file; throws `UserError` if it cannot be used. */
  readonly openFile: (path: string) => RegistrationFile;
  /** Further pages of the admin endpoint, by path: what each shows now, as plain data. */
  readonly pages: Readonly<Record<string, () => object>>;
};

export const DEFAULT_PORTS: ServerPorts = {
  report: (line) => void process.stderr.write(`${line}\n`),
  openFile: openRegistrationFile,
  pages: {},
};
