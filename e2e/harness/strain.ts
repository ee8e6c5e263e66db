/** What a run of `npm run soak` is under, so that a test which only holds on a quick machine shows itself. */
export const STRAINS = ["late service", "slow driver", "busy machine", "late network"] as const;
type Strain = (typeof STRAINS)[number];

/** The environment variable that tells it to all processes of a run. */
export const STRAIN = "TEST_STRAIN";
const under = process.env[STRAIN] as Strain | undefined;

/** Processes that do nothing but use a processor. */
export const BUSY_LOOPS = 3;
/** The service's answers come so much later, in milliseconds. */
export const answerMs = under === "late service" ? 350 : 0;
/** The driver waits so long before each command, in milliseconds. */
export const commandMs = under === "slow driver" ? 120 : 0;
/** What the network adds to a request, in milliseconds. */
export const networkMs = (): number => (under === "late network" ? Math.random() * 500 : 0);
