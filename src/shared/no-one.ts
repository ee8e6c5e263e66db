/** Is it the uid of nobody: what a page sends that has not filled it in? */
export const isNoOne = (uid: string): boolean => /^(\{\{.*\}\}|\[object \w+\]|undefined|null|NaN)$/s.test(uid.trim());

/** What is said of it. */
export const NO_ONE = "not real: your page sent a placeholder";
