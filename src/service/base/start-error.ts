/** A message about the configuration or the data, made for the person who started the process. */
export class StartError extends Error {
  override name = "StartError";
}
