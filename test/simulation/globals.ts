/** Where the clock and the chance of a page come from. */
export interface Sources {
  now: () => number;
  monotonic: () => number;
  random: () => number;
  timeout: (ms: number) => AbortSignal;
}

/** Puts getters in the place of globals while `act` runs, and what was there back in the end. */
export const withGlobals = async (
  getters: Record<string, () => unknown>,
  { now, monotonic, random, timeout }: Sources,
  act: () => Promise<void>,
): Promise<void> => {
  const before: [object, string, PropertyDescriptor | undefined][] = [];
  const put = (target: object, name: string, descriptor: PropertyDescriptor): void => {
    before.push([target, name, Object.getOwnPropertyDescriptor(target, name)]);
    Object.defineProperty(target, name, { configurable: true, ...descriptor });
  };
  for (const [name, get] of Object.entries(getters)) put(globalThis, name, { get, set: () => {} });
  put(Date, "now", { value: now });
  put(Math, "random", { value: random });
  put(performance, "now", { value: monotonic });
  put(AbortSignal, "timeout", { value: timeout });
  try {
    await act();
  } finally {
    for (const [target, name, descriptor] of before.reverse())
      if (descriptor) Object.defineProperty(target, name, descriptor);
      else Reflect.deleteProperty(target, name);
  }
};
