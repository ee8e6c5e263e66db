/** The root of the repository or of a release, seen from the source of the service or from what is built of it, `build/service`. */
export const ROOT_FOLDER = import.meta.url.replace(/(.*\/)(src|build)\/service\/.*/, "$1");
