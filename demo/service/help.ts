import { DEFAULT_WORKSPACE } from "./exact-text.js";

export const HELP = `Usage: npm run --silent service -- [command]

Without a command the service starts. The commands work on its database, which the same environment variables name
(node --env-file=/etc/tracklet.env demo/.service/main.js loads them from a file); they never make one. Where the
embedded database (TRACKLET_DATA) is in use, only export, sql and loss work: they read through the running service.

  export [events|contacts|accounts|users]   writes them to stdout; events where none is named
      --format ndjson|csv                   default ndjson
      --since 2026-01-31, --until …         events received from then on, and before; UTC unless a zone is named
      --contact <uid>                       of this contact only; for events and contacts
      --output <file>                       writes a file instead
  sql 'SELECT …'                            writes the rows of a query, which can change nothing; also --format, --output
  loss                                      counts the events that are missing, of pages with stamp: true, by the day
                                            on which the page was opened; also --since, --until
  import <file>                             makes or changes the records of accounts….ndjson, contacts….ndjson or
                                            users….ndjson: one JSON object a line, as export writes it
  delete-contact <uid>                      deletes the contact and all its events
      --everywhere                          also events of others whose params name it
  delete-workspace <name>                   deletes all that a workspace has which TRACKLET_WORKSPACES no longer names
  delete-events --older-than <days>         deletes events by their age
  rank-users                                needed after users were removed, or added with an early created_at, by SQL
  help                                      this text

  --workspace <name>                        whose data; default ${DEFAULT_WORKSPACE}
`;
