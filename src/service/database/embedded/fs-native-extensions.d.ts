declare module "fs-native-extensions" {
  /** Locks bytes of a file until its descriptor is closed; `false` where another one has a lock on them. */
  export const tryLock: (descriptor: number, offset?: number, length?: number) => boolean;
}
