/** A message about the configuration or the data, made for the person who started the process. */
export class StartError extends Error {
  override name = "StartError";
}

const WORDS: Record<string, string> = {
  ENOENT: "there is no such file or folder",
  EACCES: "this user may not do it",
  EISDIR: "it is a folder",
  ENOSPC: "the disk is full",
};

/** Why a file cannot be used, in words. */
export const fileReason = ({ code = "", message }: NodeJS.ErrnoException): string => WORDS[code] ?? message;

/** Says why a file cannot be read. */
export const cannotRead =
  (file: string) =>
  (error: Error): never => {
    throw new StartError(`${file} cannot be read: ${fileReason(error)}`);
  };
