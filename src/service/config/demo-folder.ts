/** The folder `demo`, seen from the source of the service or from what is built of it, `demo/.service`. */
export const DEMO_FOLDER = import.meta.url.replace(/(.*\/)\.?service\/.*/, "$1");
