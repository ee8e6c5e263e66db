/** What is said of an option: its environment variable, and what its value may be. */
export interface Option {
  variable: string;
  type?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  enum?: readonly string[];
  expected?: string;
  writeOnly?: boolean;
  /** The command that takes its place: it works as before for who has it. */
  former?: string;
}

/** One of them, with the words of the README. */
export const option = <const Schema extends object>(variable: string, description: string, schema: Schema) => ({
  variable,
  description,
  ...schema,
});
